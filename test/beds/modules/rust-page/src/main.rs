//! A page over HTTP, with nothing but the standard library.

use rust_core::{escape, heading};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

fn main() -> std::io::Result<()> {
    let port = std::env::var("PORT").unwrap_or_else(|_| "8080".to_string());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}"))?;
    for stream in listener.incoming() {
        std::thread::spawn(move || {
            // Whoever went away needs no answer.
            let _ = stream.and_then(serve);
        });
    }
    Ok(())
}

fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut line = String::new();
    BufReader::new(stream.try_clone()?).read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or("/");
    stream.write_all(answer(path).as_bytes())
}

fn answer(path: &str) -> String {
    let (status, body) = match path {
        "/healthz" => ("200 OK", "ok".to_string()),
        "/" => ("200 OK", page()),
        _ => ("404 Not Found", "nothing here".to_string()),
    };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn page() -> String {
    format!("<h1>{}</h1>", escape(&heading("rust-page")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_healthy() {
        assert!(answer("/healthz").ends_with("\r\n\r\nok"));
    }

    #[test]
    fn says_what_core_says() {
        assert!(answer("/").contains("<h1>rust-page runs"));
    }

    #[test]
    fn knows_no_other_page() {
        assert!(answer("/x").starts_with("HTTP/1.1 404 "));
    }
}
