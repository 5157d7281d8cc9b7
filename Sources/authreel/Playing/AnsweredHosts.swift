import Captures
import Reports
import Synchronization

/// The names under which a mock answers: those that no stranger's server can lead to this machine.
///
/// A page may have its own name resolve to 127.0.0.1 (DNS rebinding). To the browser the mock is of that page's origin then, and
/// what it tells of the users whom it plays could be read.
final class AnsweredHosts: Sendable {
    private let own: Set<String>
    private let hasWarned = Atomic(false)

    /// `own`: the hosts that options name, without ports.
    init(_ own: [String]) { self.own = Set(own.map(Self.normalized)) }

    /// Whether a name is the mock's own, an address, or one that public name servers have nothing for.
    func contain(_ host: String) -> Bool {
        let name = Self.normalized(host)
        if own.contains(name) || LoopbackHost.isLoopback(name) || name.hasPrefix("[") { return true }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let last = labels.last else { return true }
        let isNumber = !last.isEmpty && last.utf8.allSatisfy(\.isASCIIDigit)
        return isNumber || Self.reserved.contains(String(last))
            || name.hasSuffix(".home.arpa")
    }

    /// What a request under another name is answered, which is told of once; nil for the mock's own.
    func refusal(of request: RecordedRequest) -> RecordedResponse? {
        guard let host = request.url.host, !contain(host) else { return nil }
        let hint = "--issuer http://\(request.url.hostAndPort ?? host) adds the name"
        if !hasWarned.exchange(true, ordering: .relaxed) {
            StandardError.warn("a request for \(host) was refused: it is no name of this machine's; \(hint)")
        }
        let words = """
            This mock answers under names of this machine, and not as \(host.printable): a page that has its own name lead here \
            could read what it tells (DNS rebinding).
            Where the name is yours, \(hint.printable).

            """
        // RFC 9110, section 15.5.20
        return RecordedResponse(
            status: 421,
            headers: HeaderFields([
                ("Content-Type", Self.plainText), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ]),
            body: Body(content: .bytes(Array(words.utf8)), mediaType: Self.plainText, size: words.utf8.count)
        )
    }

    private static let plainText = "text/plain; charset=utf-8"

    /// In small letters, without the dot at the end that a whole name may have.
    private static func normalized(_ host: String) -> String {
        let name = host.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// RFC 6761 and 6762, and what ICANN set aside for private networks; containers call their host `host.docker.internal`.
    private static let reserved: Set<String> = [
        "example", "internal", "invalid", "local", "localhost", "test",
    ]
}
