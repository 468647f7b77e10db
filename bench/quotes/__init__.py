"""A public set for checkers of quotes: is a quote in the text that is given as its source?

The cases are made from documents with free licences, and their labels follow from how they are
made. See README.md.
"""
