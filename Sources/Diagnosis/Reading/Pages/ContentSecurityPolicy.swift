import Captures

/// What a page lets a browser do with the form that it is to send on by itself (Content Security Policy Level 3).
struct ContentSecurityPolicy {
    /// Policies that all have to allow a thing; of each, sources by directive, in lower case.
    private let policies: [[String: [String]]]

    /// Those that a browser enforces.
    init(_ headers: HeaderFields) {
        policies = headers.all("content-security-policy").flatMap { $0.split(separator: ",") }.map { policy in
            policy.split(separator: ";").reduce(into: [:]) { directives, directive in
                let words = directive.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
                // Of a directive that stands there twice the first counts.
                guard let name = words.first, directives[name] == nil else { return }
                directives[name] = Array(words.dropFirst())
            }
        }
    }

    /// Whether some policy keeps a page from running any script that stands in it.
    ///
    /// One that names a nonce or a hash may have meant this very script.
    var forbidsInlineScripts: Bool {
        policies.contains { policy in
            guard let sources = policy["script-src"] ?? policy["default-src"],
                policy["script-src-elem"] == nil, policy["script-src-attr"] == nil
            else { return false }
            return !sources.contains {
                $0 == "'unsafe-inline'" || $0.hasPrefix("'nonce-") || $0.hasPrefix("'sha")
            }
        }
    }

    /// Who may show a page in a frame, by the first policy that says so; nil where none does.
    var frameAncestors: [String]? { policies.lazy.compactMap { $0["frame-ancestors"] }.first }

    /// Whether some policy keeps a page's forms from being sent to a place.
    func forbidsForms(from page: RecordedURL, to target: RecordedURL) -> Bool {
        policies.contains { policy in
            guard let sources = policy["form-action"] else { return false }
            return !sources.contains { Self.matches($0, target, of: page) }
        }
    }

    private static func matches(_ source: String, _ target: RecordedURL, of page: RecordedURL) -> Bool {
        if source == "'self'" { return page.origin == target.origin || isSecured(page, target) }
        if source.hasSuffix(":") {
            return target.scheme.map { $0 + ":" == source || source == "http:" && $0 == "https" } ?? false
        }
        guard let host = target.host else { return false }
        // The ports and paths of sources are not looked at: what may be meant is not called forbidden.
        let rest = source.split(separator: "/").first { !$0.hasSuffix(":") } ?? ""
        let name = rest.split(separator: ":").first ?? ""
        if name == "*" { return target.isWeb }
        return name.hasPrefix("*.") ? host.hasSuffix(name.dropFirst()) : host == name
    }

    /// Whether a page of http names its own host with https, which 'self' lets it.
    private static func isSecured(_ page: RecordedURL, _ target: RecordedURL) -> Bool {
        page.scheme == "http" && target.scheme == "https" && page.host == target.host
    }
}
