import Captures

/// Recordings of Singapore's national sign-in, changed.
extension Recording {
    /// A parameter of the login's request changed, whatever the path of the endpoint; nil takes it out.
    package func askingSingpass(_ name: String, _ value: String?) -> Recording {
        editing { exchange in
            let url = exchange.request.url
            guard url.path.hasSuffix("/authorize"), url.queryItems.contains("client_id") else { return }
            exchange.request.url = RecordedURL(Recording.changing(url.text, name, value))
        }
    }

    /// Another host in place of the provider's, and another path in place of its authorization endpoint's.
    package func atSingpass(_ host: String, _ path: String) -> Recording {
        editing { exchange in
            guard exchange.request.url.host == "id.harbour.example" else { return }
            let text = exchange.request.url.text.replacing("id.harbour.example", with: host)
            exchange.request.url = RecordedURL(text.replacing("/singpass/v2/authorize", with: path))
        }
    }
}
