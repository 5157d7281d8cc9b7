import TLS
