internal import Captures

/// A header block, decoded: the fields of a request, an answer or trailers (RFC 9113, section 8; RFC 9114, section 4).
///
/// Keeps what is not allowed, and names it. What HTTP/2 and HTTP/3 say in other words than HTTP/1 is said in those of HTTP/1,
/// so that all read the same: the authority as the first `host` field, the pieces of `cookie` joined (RFC 9113,
/// sections 8.2.3 and 8.3.1).
struct FieldBlock {
    private(set) var method: String?
    private(set) var path: String?
    /// Whether they are no UTF-8.
    private var isPathLatin1 = false
    private var isAuthorityLatin1 = false
    private(set) var scheme: String?
    private(set) var authority: String?
    private(set) var status: String?
    /// `:protocol` of an extended CONNECT (RFC 8441, section 4).
    private(set) var connectedProtocol: String?
    private(set) var fields: [HeaderFields.Field] = []
    private(set) var problems: [String] = []
    /// Fields that are not known, as they refer to bytes that are missing.
    let unknown: Int
    /// `HTTP/2`, `HTTP/3`.
    private let version: String

    init(_ block: [HeaderFields.Field], of version: String, unknown: Int = 0) {
        self.unknown = unknown
        self.version = version
        fields.reserveCapacity(block.count)
        var cookie: Int?
        for field in block {
            let (name, value) = (field.name, field.value)
            if name.utf8.first == 0x3a {
                pseudo(name, value, isLatin1: field.isLatin1)
                continue
            }
            check(name, value)
            if name == "cookie" {
                if let cookie {
                    fields[cookie].append(piece: field)
                    continue
                }
                cookie = fields.count
            }
            fields.append(field)
        }
    }

    private mutating func pseudo(_ name: String, _ value: String, isLatin1: Bool) {
        if !fields.isEmpty { note("a pseudo-header field behind other fields") }
        let isFirst: Bool
        switch name {
        case ":method": isFirst = Self.set(&method, value)
        case ":path":
            isFirst = Self.set(&path, value)
            if isFirst { isPathLatin1 = isLatin1 }
        case ":scheme": isFirst = Self.set(&scheme, value)
        case ":authority":
            isFirst = Self.set(&authority, value)
            if isFirst { isAuthorityLatin1 = isLatin1 }
        case ":status": isFirst = Self.set(&status, value)
        case ":protocol": isFirst = Self.set(&connectedProtocol, value)
        default:
            note("the unknown pseudo-header field \(Self.excerpt(name))")
            return
        }
        if !isFirst { note("two \(name) fields") }
        if value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) { note("a control character in \(name)") }
    }

    private static func set(_ member: inout String?, _ value: String) -> Bool {
        guard member == nil else { return false }
        member = value
        return true
    }

    private mutating func check(_ name: String, _ value: String) {
        if !name.utf8.allSatisfy({ $0.isTokenCharacter && !(0x41...0x5a).contains($0) }) {
            note(
                name.utf8.contains { (0x41...0x5a).contains($0) }
                    ? "a field name in capitals" : "a field name with characters that are not allowed"
            )
        }
        if value.utf8.contains(where: { $0 == 0 || $0 == 0x0d || $0 == 0x0a }) {
            note("NUL, CR or LF in a field value")
        }
        if value.utf8.first?.isBlank ?? false
            || value.utf8.last?.isBlank ?? false
        {
            note("white space around a field value")
        }
        switch name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
            note("the field \(name), which belongs to HTTP/1")
        case "te" where value != "trailers": note("the field te with another value than trailers")
        default: break
        }
    }

    private mutating func note(_ reason: String) {
        guard problems.count < 8, !problems.contains(reason) else { return }
        problems.append(reason)
    }

    private static func excerpt(_ name: String) -> String {
        String(name.unicodeScalars.prefix(40).map { $0.isASCII && $0.value > 0x20 ? Character($0) : "?" })
    }

    // MARK: - What it is the head of

    /// Whether that of a request does not say what is asked for, as fields of it are not known.
    var isTargetUnknown: Bool { unknown > 0 && (method == nil || path == nil && method != "CONNECT") }

    /// `connectionScheme`: of the connection's URLs.
    mutating func request(connectionScheme: String) -> RequestHead {
        if method == nil, unknown == 0 { note("a request without :method") }
        // Whoever took TLS off in front of here passes on what the client asked for (RFC 9113, section 8.3.1).
        let isSecuredBefore = scheme == "https" && connectionScheme == "http"
        if status != nil { note("a request with :status") }
        let isPlainConnect = method == "CONNECT" && connectedProtocol == nil
        if !isPlainConnect {
            if path == nil && unknown == 0 || path?.isEmpty == true { note("a request without :path") }
            if scheme == nil, unknown == 0 { note("a request without :scheme") }
            if let scheme, scheme != connectionScheme, !isSecuredBefore {
                note("another :scheme than that of the connection")
            }
        }
        var head: [HeaderFields.Field] = []
        if let authority {
            if let host = fields.first(where: { $0.name == "host" })?.value {
                if host != authority { note("a host field that differs from :authority") }
                fields.removeAll { $0.name == "host" && $0.value == authority }
            }
            head.append(HeaderFields.Field(name: "host", value: authority, isLatin1: isAuthorityLatin1))
        }
        var request = RequestHead(
            method: method ?? "",
            target: isPlainConnect ? authority ?? "" : path ?? "",
            httpVersion: version,
            headers: HeaderFields(head + fields)
        )
        request.unknownFields = unknown
        request.isTargetUnknown = isTargetUnknown
        request.isTargetLatin1 = isPlainConnect ? isAuthorityLatin1 : isPathLatin1
        request.scheme = isSecuredBefore && !isPlainConnect ? scheme : nil
        return request
    }

    mutating func response() -> ResponseHead {
        let code = status.flatMap { $0.utf8.count == 3 ? Int($0) : nil }.flatMap { $0 >= 100 ? $0 : nil }
        if code == nil, status != nil || unknown == 0 { note("an answer without a :status of three digits") }
        if method != nil || path != nil || scheme != nil || authority != nil || connectedProtocol != nil {
            note("an answer with the pseudo-header fields of a request")
        }
        var response = ResponseHead(
            status: code ?? 0,
            statusText: "",
            httpVersion: version,
            headers: HeaderFields(fields)
        )
        response.unknownFields = unknown
        return response
    }

    mutating func trailers() -> HeaderFields {
        let pseudo = [method, path, scheme, authority, status, connectedProtocol]
        if pseudo.contains(where: { $0 != nil }) { note("trailers with pseudo-header fields") }
        return HeaderFields(fields)
    }
}

extension HeaderFields.Field {
    /// Puts another piece of a `cookie` behind it; there may be many.
    fileprivate mutating func append(piece: Self) {
        if piece.isLatin1, !isLatin1 { self = Self(name: sentName, value: sentValue.asLatin1) }
        value += "; "
        value += isLatin1 ? piece.sentValue.asLatin1.text : piece.value
    }
}

extension HeaderFields {
    /// What fields are counted with while they are held; a few bytes may stand for many that a table has.
    var weight: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 } }
}
