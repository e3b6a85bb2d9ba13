"""Writes the tables that the agreement filters read: each whole word of the vocabulary with its grammar, and further common words.

Tags are those of the Penn Treebank. A part of speech that hardly ever occurs (WordNet's counts) is left out: "good" is
an adverb in the dictionary, but a filter that believes it lets "well" and "good" change places.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import lemminflect
import nltk
import snowballstemmer
import wordfreq
from tokenizers import Tokenizer

WORDNET_NAMES = {"NOUN": "n", "VERB": "v", "ADJ": "as", "ADV": "r"}
RARE_SHARE = 0.04
LEAST_FREQUENT = 2.0  # of words of several pieces, on Zipf's scale: one in ten million words
AMERICAN = (
    (r"(?<=[^aeiou][aeiou])ll(?=ed|ing|er)", "l"),  # travelled
    (r"(?<=[a-z]{2})our(?=$|s|ed|ing|ite|able|ful|hood|ly)", "or"),  # favourite
    (r"(?<=[a-z]{3})is(?=e$|es$|ed$|ing$|ation)", "iz"),  # organised
    (r"(?<=[a-z]{3})ys(?=e$|es$|ed$|ing$)", "yz"),  # analysed
    (r"(?<=[^aeiou]t)re(?=$|s)", "er"),  # centre
    (r"(?<=[a-z]{3})ence$", "ense"),  # defence
    (r"(?<=[a-z])ogue(?=$|s)", "og"),  # catalogue
    (r"grey", "gray"),
)
HEADER = (
    "# word, tags, lemmas, stem, antonyms; made by training/lexicon.py from lemminflect, WordNet 3.0 and Snowball\n"
)


def build(sources: Path, output: Path) -> None:
    nltk.data.path = [str(next((sources / "wordnet").rglob("nltk-data")))]
    tokenizer = Tokenizer.from_file(str(next((sources / "bert").rglob("tokenizer.json"))))
    whole = frozenset(tokenizer.get_vocab())
    common = (word for word in wordfreq.iter_wordlist("en") if wordfreq.zipf_frequency(word, "en") >= LEAST_FREQUENT)
    words = sorted(
        {*filter(may_have_grammar, whole), *(word for word in common if may_have_grammar(word) and len(word) > 3)}
    )
    stemmer = snowballstemmer.stemmer("english")
    grammars = {word: found for word in words if (found := grammar(word))[0]}
    opposites = antonyms(grammars)
    tables: tuple[list[str], list[str]] = ([], [])
    for word, (tags, lemmas) in grammars.items():
        stem = stemmer.stemWord(plain(word))
        against = [other for other in opposites[word] if other in whole]  # no other is ever proposed
        cells = (word, ",".join(sorted(tags)), ",".join(sorted(lemmas)), stem, ",".join(against))
        tables[word not in whole].append("\t".join(cells) + "\n")
    for lines, path in zip(tables, (output, output.with_stem(f"{output.stem}_several_pieces")), strict=True):
        path.write_text(HEADER + "".join(lines), "utf-8")
        print(f"{path.name}: {len(lines)} words", file=sys.stderr)


def may_have_grammar(token: str) -> bool:
    return token.isascii() and token.isalpha() and token.islower() and len(token) > 1


def antonyms(grammars: dict[str, tuple[set[str], set[str]]]) -> dict[str, list[str]]:
    """Words that say the opposite in the same inflection, both ways; for adjectives also those of similar senses.

    "brief" is like "short", whose opposite "long" is like "lengthy"; words that share a sense are never opposites.
    """
    from nltk.corpus import wordnet

    forms: defaultdict[str, list[str]] = defaultdict(list)
    for word, (_, lemmas) in grammars.items():
        for lemma in lemmas:
            forms[lemma].append(word)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for word, (tags, lemmas) in grammars.items():
        synsets = {synset for lemma in lemmas for synset in wordnet.synsets(lemma)}
        synonyms = {name.lower() for synset in synsets for name in synset.lemma_names()}
        for synset in synsets:
            senses = [sense for near in (synset, *synset.similar_tos()) for sense in near.lemmas()]
            direct = {other for sense in senses for other in sense.antonyms()}
            indirect = {sense for other in direct for near in other.synset().similar_tos() for sense in near.lemmas()}
            for opposite in {other.name().lower() for other in direct | indirect} - synonyms:
                for form in forms.get(opposite, []):
                    if form not in (word, *lemmas) and grammars[form][0] & tags:
                        found[word].add(form)
                        found[form].add(word)
    return {word: sorted(found[word]) for word in grammars}


def plain(word: str) -> str:
    """American spelling, and the adjective of an adverb: Snowball keeps "happily" and "happy" apart."""
    for british, american in AMERICAN:
        word = re.sub(british, american, word)
    return word.removesuffix("ly")


def grammar(word: str) -> tuple[set[str], set[str]]:
    """Every tag that the form may bear, and every lemma it may belong to."""
    from nltk.corpus import wordnet

    lemmas_by_class = {name: found for name, found in lemminflect.getAllLemmas(word).items() if name in WORDNET_NAMES}
    counts: Counter[str] = Counter()
    for name, lemmas in lemmas_by_class.items():
        for lemma in lemmas:
            for sense in wordnet.lemmas(lemma):
                if sense.synset().pos() in WORDNET_NAMES[name]:
                    counts[name] += sense.count() + 1
    total = sum(counts.values())
    tags: set[str] = set()
    kept: set[str] = set()
    for name, lemmas in lemmas_by_class.items():
        if total and counts[name] < RARE_SHARE * total:
            continue
        for lemma in lemmas:
            forms = lemminflect.getAllInflections(lemma, upos=name)
            if "VBD" in forms:
                forms.setdefault("VBN", forms["VBD"])  # regular verbs: lemminflect lists the past once
            fitting = {tag for tag, spellings in forms.items() if spellings and spellings[0] == word}
            fitting = fitting or {tag for tag, spellings in forms.items() if word in spellings}
            tags |= fitting
            kept |= {lemma} if fitting else set()
    return tags, kept


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
