//! The app: one process for each person, as their own account, behind svc-wrap, which lets only whole and valid requests through.
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs, io, thread};

/// Each connection has a thread.
static TRAVA: Mutex<()> = Mutex::new(());

fn guarda() -> PathBuf {
    Path::new(&env::var_os("SVC_APP_DATA_DIR").unwrap_or_default()).join("contagem")
}

/// Only a file that was never written counts as 0: what can't be read is not written over.
fn ler() -> io::Result<u64> {
    match fs::read_to_string(guarda()) {
        Ok(texto) => texto.trim().parse().map_err(|erro| io::Error::new(io::ErrorKind::InvalidData, erro)),
        Err(erro) if erro.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(erro) => Err(erro),
    }
}

/// A backend may be ended at any time: the file is written whole or not at all.
fn guardar(contagem: u64) -> io::Result<()> {
    let novo = guarda().with_extension("novo");
    fs::write(&novo, contagem.to_string())?;
    fs::rename(novo, guarda())
}

struct Resposta(&'static str, &'static str, Vec<u8>);

fn json(estado: &'static str, texto: String) -> Resposta {
    Resposta(estado, "application/json", texto.into_bytes())
}

fn contar(metodo: &str) -> Resposta {
    let _trava = TRAVA.lock();
    let mais = u64::from(metodo == "POST");
    let nova = ler().and_then(|antes| {
        let contagem = antes + mais;
        if mais > 0 {
            guardar(contagem)?;
        }
        Ok(contagem)
    });
    match nova {
        Ok(contagem) => json("200 OK", format!(r#"{{"contagem":{contagem}}}"#)),
        Err(_) => json("500 Internal Server Error", r#"{"error":"a contagem não pode ser lida ou escrita"}"#.into()),
    }
}

fn pagina(caminho: &str) -> Resposta {
    let nome = if caminho == "/" { "index.html" } else { caminho.trim_start_matches('/') };
    let tipo = match nome.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let dentro = Path::new(nome).components().all(|parte| matches!(parte, Component::Normal(_)));
    let pasta = env::args().nth(2).unwrap_or_default();
    match dentro.then(|| fs::read(Path::new(&pasta).join(nome))) {
        Some(Ok(bytes)) => Resposta("200 OK", tipo, bytes),
        _ => json("404 Not Found", r#"{"error":"rota desconhecida"}"#.into()),
    }
}

fn atender(conexao: UnixStream) -> io::Result<()> {
    let mut entrada = BufReader::new(conexao.try_clone()?);
    let mut linha = String::new();
    entrada.read_line(&mut linha)?;
    let mut partes = linha.split_whitespace();
    let (metodo, alvo) = (partes.next().unwrap_or(""), partes.next().unwrap_or("/"));
    let mut tamanho = 0;
    loop {
        let mut cabecalho = String::new();
        if entrada.read_line(&mut cabecalho)? == 0 || cabecalho.trim().is_empty() {
            break;
        }
        if let Some((nome, valor)) = cabecalho.split_once(':') {
            if nome.eq_ignore_ascii_case("content-length") {
                tamanho = valor.trim().parse().unwrap_or(0);
            }
        }
    }
    io::copy(&mut entrada.take(tamanho), &mut io::sink())?;
    let caminho = alvo.split('?').next().unwrap_or("/");
    let Resposta(estado, tipo, corpo) = if caminho == "/api/contagem" { contar(metodo) } else { pagina(caminho) };
    let mut saida = &conexao;
    write!(saida, "HTTP/1.1 {estado}\r\nContent-Type: {tipo}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", corpo.len())?;
    if metodo != "HEAD" {
        saida.write_all(&corpo)?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let socket = env::args().nth(1).expect("a socket");
    for conexao in UnixListener::bind(socket)?.incoming().flatten() {
        thread::spawn(move || atender(conexao));
    }
    Ok(())
}
