"""
Text: words that stand for a vocabulary
=======================================

A bag of words is a sparse table: one row per document, one column per word, mostly zeros. The
selectors take the CSR matrix as it comes from scikit-learn's vectoriser. The documents are short
notes about four subjects, generated from a small phrase book.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from graphsieve import MRSF, GraphSieve, GreedyCSS, RandomRanker, Variance
from graphsieve.evaluation import clustering_scores

SUBJECTS = {
    "cooking": "oven dough butter sugar flour bake simmer sauce onion garlic pan recipe taste",
    "sailing": "wind sail anchor harbour mast tide keel rope crew storm chart buoy deck",
    "gardens": "soil seed prune rose compost water bloom hedge spade worm shade bulb lawn",
    "software": "test branch merge bug compile cache thread release server query index patch log",
}
COMMON = "the a of and in is it we was for on with as at this that had when then very"

rng = np.random.default_rng(0)
documents, labels = [], []
for label, words in enumerate(SUBJECTS.values()):
    for _ in range(100):
        # A document is about half of its subject's words, and mostly common words.
        own = rng.choice(words.split(), size=7, replace=False)
        text = [*rng.choice(own, 12), *rng.choice(COMMON.split(), 25)]
        documents.append(" ".join(rng.permutation(text)))
        labels.append(label)

vectorizer = CountVectorizer(token_pattern=r"\w+")
X = vectorizer.fit_transform(documents).astype(float)
words = vectorizer.get_feature_names_out()
print(f"{X.shape[0]} documents, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.0%} non-zeros, CSR")

# %%
# Twelve words each. Variance and greedy CSS prefer the common words, which vary most and carry no
# subject. GraphSieve leaves out what the other words do not predict, and MRSF regresses the
# clusters of the neighbour graph on the words: both keep words that separate the subjects.

methods = {
    "GraphSieve": GraphSieve(12, random_state=0),
    "MRSF": MRSF(12, n_components=3),
    "greedy CSS": GreedyCSS(12),
    "variance": Variance(12),
    "random": RandomRanker(12, random_state=0),
}
scores = {}
for name, method in methods.items():
    X_small = method.fit_transform(X)
    scores[name] = clustering_scores(X_small.toarray(), labels, random_state=0)[:, 1].mean()
    print(f"{name}: {', '.join(words[method.order_[:12]])}")

# %%
# k-means on the 12 words, compared with the true subjects.

figure, axes = plt.subplots(figsize=(6, 2.6), layout="constrained")
axes.barh(list(scores), list(scores.values()), color="#0072b2")
axes.set(xlabel="normalised mutual information with the subjects", xlim=(0, 1))
axes.invert_yaxis()
plt.show()
