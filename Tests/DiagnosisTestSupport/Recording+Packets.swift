import Captures

extension Recording {
    /// As packets have it between a proxy that ends https and its servers.
    ///
    /// `scheme`: what the proxy tells of the client's; nil where that may be a header field that is not known.
    package func behindProxy(telling scheme: String?) -> Recording {
        editing { exchange in
            let url = exchange.request.url
            guard url.scheme == "https" else { return }
            exchange.request.url = RecordedURL("http" + url.text.dropFirst("https".count))
            if let scheme {
                exchange.request.headers.append("X-Forwarded-Proto", scheme)
            } else {
                exchange.unknownFields.request += 1
            }
        }
    }

    /// As packets of HTTP/2 have it whose beginning is missing: each server has its address for a name.
    package func withoutHosts() -> Recording {
        editing { exchange in
            let url = exchange.request.url
            guard url.isWeb, let host = url.host, let origin = url.origin else { return }
            let number = host.utf8.reduce(0) { $0 + Int($1) } % 200
            let rest = url.text.dropFirst(origin.count)
            exchange.request.url = RecordedURL("\(url.scheme ?? "https")://10.0.0.\(number)\(rest)")
            exchange.request.headers.fields.removeAll { $0.name.lowercased() == "host" }
            exchange.unknownFields.request += 1
        }
    }

    /// With requests for a path whose path refers to what is missing.
    package func withoutPath(_ path: String) -> Recording {
        editing { exchange in
            guard exchange.request.url.path == path, let origin = exchange.request.url.origin else { return }
            exchange.request.url = RecordedURL("\(origin)/")
            exchange.unknownFields.request += 1
            exchange.failure = AnswerLoss.targetMissing
        }
    }
}
