"""Views: values to Markdown and HTML. One pure function per view; HTML is in templates.

Read ``generated`` first: the table of generated pages, with the view of each. Each view has a
module; ``template`` renders, and ``frame`` is what surrounds an author's page.
"""
