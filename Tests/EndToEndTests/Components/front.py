"""What stands before a server to speak newer versions of HTTP with the browser: nghttpx and caddy."""
from service import Service

CADDYFILE = """
{{
  admin off
  auto_https off
  default_sni localhost
  log {{
    level ERROR
  }}
}}
https://127.0.0.1:{port}, https://localhost:{port} {{
  bind 127.0.0.1
  tls {certificate} {key}
  reverse_proxy {scheme}://127.0.0.1:{backend} {{
    header_down -Via
    {transport}
  }}
}}
"""
# Who that is has been settled: it was started beside it.
OVER_TLS = "transport http {\n      tls_insecure_skip_verify\n    }"


def http2(folder, port, backend, certificate, key):
    """HTTP/2 and HTTP/1.1, before a server that speaks HTTP/1.1 in clear."""
    return Service(["nghttpx", f"--frontend=127.0.0.1,{port}", f"--backend=127.0.0.1,{backend}", "--workers=1", "--no-ocsp",
                    "--conf=/dev/null", "--pid-file=" + str(folder / "front.pid"), key, certificate], port, folder / "front")


def http3(folder, port, backend, certificate, key, scheme="http"):
    """HTTP/3 over UDP, and HTTP/2 and HTTP/1.1 over TCP on the same port."""
    home = folder / "caddy"
    home.mkdir()
    (home / "Caddyfile").write_text(CADDYFILE.format(port=port, backend=backend, certificate=certificate, key=key, scheme=scheme,
                                                     transport=OVER_TLS if scheme == "https" else ""))
    return Service(["caddy", "run", "--config", home / "Caddyfile", "--adapter", "caddyfile"], port, home / "log",
                   HOME=str(home), XDG_DATA_HOME=str(home), XDG_CONFIG_HOME=str(home))
