"""A claim against its sources: read `claim_comparison`, which asks the others for its verdict.

::

    claim_comparison  compares claims with their sources: the verdict, and its reason
    claim_quotes      quotes that no source has word for word: absent, inexact or open
    claim_figures     figures and names that the sources have otherwise, or would have
    beside_quotes     figures, short quotes and names beside a quote that is there
    swapped_sources   claims that are in another source of the page
    moved_names       names of programs that are defined in other lines than those cited

What these ask of a source::

    read_source       its text, prepared for that
    source_states     how each source was read
    absent_figures    figures and names of a claim that no source has
    changed_figures   figures that a source has otherwise
    listed_counts     how many rows, items and headings a source has
    near_wording      the words of a source that are nearest to a quote that it lacks
    wording_gaps      what a quote has instead of words of its source

What they ask of a claim::

    literal_words     its words that a source has as they are if it says the same
    no_figures        numbers that are none: days, places of works, names of files
    languages         its language
"""
