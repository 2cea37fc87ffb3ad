"""The job: it runs where the cluster has room, without this package. Counts the words of entrada/texto.txt into saida/palavras.json."""

import collections
import json
import os
import pathlib
import re
from typing import Counter

linhas = pathlib.Path('entrada/texto.txt').read_text('utf-8').splitlines()
palavras: Counter[str] = collections.Counter()
for numero, linha in enumerate(linhas, 1):
    palavras.update(re.findall(r'\w+', linha.lower()))
    # The last line of this file is how far the job is.
    pathlib.Path(os.environ['SVC_PROGRESSO']).write_text(f'svc-progresso {numero / len(linhas):.2f}\n')
print(f'{sum(palavras.values())} words in {len(linhas)} lines')
pathlib.Path(os.environ['SVC_SAIDA'], 'palavras.json').write_text(json.dumps(dict(palavras.most_common(20)), ensure_ascii=False))
