/// The way from the root of a JSON value to one of its strings.
struct LeakPath {
    private enum Step {
        case member(String, ordinal: Int)
        case element(Int)
    }

    private var steps: [Step] = []

    mutating func enter(_ name: String, ordinal: Int) { steps.append(.member(name, ordinal: ordinal)) }
    mutating func enter(_ index: Int) { steps.append(.element(index)) }
    mutating func leave() { steps.removeLast() }

    /// The path as a leak shows it; only names that HAR or a well-known producer defines are shown.
    var text: String {
        var text = ""
        for step in steps {
            switch step {
            case .element(let index): text += "[\(index)]"
            case .member(let name, let ordinal):
                if !text.isEmpty { text += "." }
                text += Self.vocabulary.contains(name) ? name : "{\(ordinal)}"
            }
        }
        return text
    }

    /// The member names of HAR 1.2, of what browsers add to it, and of `_authreel`.
    private static let vocabulary = Set(
        WordTable.words(
            """
            log version creator browser pages entries comment name value startedDateTime id title pageTimings onContentLoad \
            onLoad pageref time request response cache timings serverIPAddress connection method url httpVersion cookies \
            headers queryString postData headersSize bodySize status statusText content redirectURL path domain expires \
            httpOnly secure sameSite maxAge mimeType params text fileName contentType size compression encoding \
            beforeRequest afterRequest lastAccess eTag hitCount blocked dns connect send wait receive ssl \
            _initiator _priority _resourceType _fromCache _transferSize _error _errorMessage _failureText _blockedReason \
            _tlsError _webSocketMessages _connectionId type opcode data stack \
            _authreel _response address alpn cipher client clientCertificate clientTLS contentCoding malformed offset pid process \
            pushed reason received sent serverAddress serverName serverTLS side trailers truncated tunnel upgradedTo \
            seen file entry shifted differs imported files members clock ahead within of by count aligned redacted cut_short
            """
        )
    )
}
