//! A page that says what time it is, with nothing but the standard library.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn main() -> std::io::Result<()> {
    let port = std::env::var("PORT").unwrap_or_else(|_| "8080".to_string());
    for stream in TcpListener::bind(format!("127.0.0.1:{port}"))?.incoming() {
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
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
    let body = if line.starts_with("GET /healthz ") { "ok\n".to_string() } else { say_time(seconds) };
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n";
    stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
}

fn say_time(seconds: u64) -> String {
    let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
    format!("It is {hours:02}:{minutes:02}:{:02}, says Rust.\n", seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_the_time() {
        assert_eq!(say_time(12 * 3600 + 5), "It is 12:00:05, says Rust.\n");
    }
}
