"""Builds the documentation: `make docs`, without network access."""

import re
from importlib.metadata import version as installed_version

project = "graphsieve"
author = "The graphsieve developers"
project_copyright = author
version = release = installed_version("graphsieve")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates", "auto_examples/*.ipynb"]
templates_path = ["_templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
# `like this` in a docstring is code unless Sphinx knows the name.
default_role = "autolink"

myst_heading_anchors = 4
# Pages are read in the repository too: a link to a source file there is a download here.
myst_enable_extensions = ["colon_fence", "deflist"]

autosummary_generate = True
autodoc_default_options = {"inherited-members": True}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "show_signature": False,
    "show_memory": False,
    "matplotlib_animations": False,
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "graphsieve"
html_static_path = ["_static"]
html_css_files = ["graphsieve.css"]
html_extra_path = ["llms.txt"]
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "navbar_center": [],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"**": ["contents.html"]}


def escape_docstring(app, what, name, obj, options, lines):
    """Formulas in docstrings are plain text: |W_j| and n_features_ are not reStructuredText."""
    literal = None
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if literal is not None and line.strip() and indent <= literal:
            literal = None
        if literal is None and not line.lstrip().startswith((">>>", "...")):
            pieces = re.split(r"(``.*?``|`.*?`)", line)
            pieces[::2] = [re.sub(r"(?<=\w)_(?!\w)|\|", r"\\\g<0>", text) for text in pieces[::2]]
            lines[number] = "".join(pieces)
        if literal is None and line.rstrip().endswith("::"):
            literal = indent


def setup(app):
    app.connect("autodoc-process-docstring", escape_docstring, priority=900)
