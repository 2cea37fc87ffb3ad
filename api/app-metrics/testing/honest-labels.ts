/**
 * Labels that say what kind of event: what authors of apps write into Grafana's examples, Prometheus' guides and their own code. Gathered by hand,
 * the awkward ones included: versions, models, digests, media types, gene names, device names, times.
 */
import type { PersonRecord } from '../../../schema/gateway.ts';

const byKind = {
  'formats and media types': `
    pdf | PDF/A-3 | docx | xlsx | csv | json | parquet | image/png | image/svg+xml | text/html; charset=utf-8
    application/vnd.openxmlformats-officedocument | application/x-ndjson | video/mp4; codecs=avc1.42E01E | mp3 320kbps
    H.264 | utf-8`,
  HTTP: `
    GET | POST | 200 | 404 | 5xx | HTTP/1.1 | h2 | keep-alive | /api/notas | /api/notas/:id | /v1/users/{id} | users/list
    /home | home page | POST /api/login | text/event-stream | no-cache | gzip, br | Mozilla/5.0 | curl/8.5.0 | TLSv1.3`,
  results: `
    ok | erro | sucesso | falha | timeout | cancelado | parcial | ENOENT | ECONNRESET | E_INVALID_ARG | ValueError
    OSError: 28 | ERR_HTTP2_STREAM_ERROR | SQLSTATE[23505] | 0x80070005 | SIGKILL | exit 137 | true | false | none | null
    desconhecido`,
  'versions, releases, builds': `
    1.0.0 | 2.14.3-rc.1 | v0.9.1+build.77 | 129.0.6668.58 | 24.21.0 | python3.11 | node24.21.0 | Linux 6.1.0-28-amd64
    2026.11 | 2026-11-23 | 20261123 | 2026-W47 | r4821 | 3f2a9c1 | a1b2c3d | main@3f2a9c1 | lodash@4.17.21 | @angular/core
    debian 12.8`,
  'algorithms and hardware': `
    sha256 | x25519 | AES-256-GCM | TLS_AES_128_GCM_SHA256 | ECDHE-RSA-AES256-GCM-SHA384 | NVIDIA A100-SXM4-80GB | RTX 4090
    cuda:0 | /dev/dri/renderD128 | 0000:01:00.0 | 10de:20b2 | nvme0n1p2 | eth0 | AMD EPYC 7763 | Intel(R) Xeon(R) E5-2680 v4
    ARMv8.2-A`,
  'models and data sets': `
    llama-3.1-70b-instruct | gpt-4o-mini-2024-07-18 | bert-base-uncased | whisper-large-v3 | Q4_K_M | resnet50 | yolov8n
    imagenet-1k | mixtral-8x7b-v0.1 | stable-diffusion-xl-base-1.0 | qwen2.5-coder-32b | all-MiniLM-L6-v2 | ggml-model-q4_0`,
  science: `
    BRCA1 | hsa-miR-21-5p | GRCh38.p14 | chr17 | NM_007294.4 | ENSG00000012048 | rs1799950 | C6H12O6 | SARS-CoV-2 | 16S rRNA
    2D-NMR | pH 7.4 | 37C | 5 mM | PDB 1A2B | EPSG:4326 | SIRGAS 2000 | B04 | Landsat-8 | L2A | IPCA-15 | CID-10 E11`,
  'sizes, ranges, times': `
    1920x1080 | 4K | 0-10 | 10-100KB | >1MB | <5s | 99.9 | 0.05 | 1e-6 | 100% | p95 | 3..7 | 16:9 | 08:00-12:00
    segunda-feira | Q3`,
  'screens, words of people’s languages': `
    claro | escuro | pt-BR | en | menu principal | nova nota | São Paulo | América/Sao_Paulo | America/Sao_Paulo
    botão-salvar | pessoa física | pessoa jurídica | usuário anônimo | user: guest | por lote | por data
    autor desconhecido | admin | owner | editor | ctrl+shift+p | arrastar e soltar | clique duplo
    exportar_relatorio_mensal | importacao-de-planilhas | abrir:arquivo`,
  'parts of programs': `
    svc.salas.entrar | api.routes.metrics | pkg/controller/loop | com.example.app.MainActivity | std::vector | worker-3
    shard-07 | fila/alta | texto/v1 | dicionario/v2 | kafka-topic.orders | us-east-1a | sa-east-1 | node-7f9c
    web-5d4f6b7c8-x2x4z | tcp://:8080 | redis | postgres`,
  'what looks like an id, and is one of a kind of thing': `
    git@github.com | sha256:9f86d081884c7d65 | e3b0c44298fc1c149afbf4c8996fb92427ae41e4 | 1763879005123
    AKfycbx9T3qz7Lw2Hn5Vb8Rd`,
};

export const honestLabels: readonly string[] = Object.values(byKind).flatMap((text) => text.trim().split(/\s*[|\n]\s*/));

/** People of a portal for these tests: short ids, ids that are words, full names. */
export const directory: readonly PersonRecord[] = [
  { usuario: 'ana', login: 'ana', nome: 'Ana Souza', grupos: [] },
  { usuario: 'bia', login: 'bia', nome: 'Bia', grupos: [] },
  { usuario: 'joao.silva', login: 'jsilva', nome: 'João da Silva', grupos: [] },
  { usuario: 'caio', login: 'caio@instituto', nome: 'Caio Prado Júnior', grupos: [] },
  { usuario: 'sol', login: 'sol', nome: 'Soledad Ruiz', grupos: [] },
  { usuario: 'm-lima', login: 'u04711', nome: 'Márcia Lima', grupos: [] },
];
