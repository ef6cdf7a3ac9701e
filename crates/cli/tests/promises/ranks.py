"""Holds the PageRank of an exported link graph against that of networkx: JSON lines in, a sentence out."""

import json
import sys

import networkx
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python as pagerank

rows = [json.loads(line) for line in sys.stdin]
graph = networkx.DiGraph()
graph.add_nodes_from(row["id"] for row in rows)
graph.add_edges_from((row["id"], to) for row in rows for to in row["links"])
theirs = pagerank(graph, alpha=0.85, tol=1e-13, max_iter=1000)
error = max(abs(row["pagerank"] - theirs[row["id"]]) for row in rows)
votes = sum(row["krank"] for row in rows)
print(f"{len(rows)} documents, {graph.number_of_edges()} links, largest difference {error:.1e}, K-ranks add up to {votes:.6f}")
sys.exit(0 if error < 1e-6 and abs(votes - 1) < 1e-4 else 1)
