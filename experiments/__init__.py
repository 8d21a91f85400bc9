"""The experiments of the GAFS paper and others, which are not installed with the library.

`data` has the data sets, `protocol` the splits and scores, `specs` what is run. `runner` runs it
cell by cell, `claims` judges the tables, and `report` writes the page. ``python -m experiments`` is
the command line.
"""
