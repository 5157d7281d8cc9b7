/// `HOST:PORT`, as options take it: an address to listen on, or a proxy to connect to.
struct HostAndPort: Sendable, Hashable {
    /// Without the brackets of an IPv6 address.
    var host: String
    var port: Int

    /// Reads the value of an option; without a host it is this machine.
    ///
    /// - Parameters:
    ///   - text: `HOST:PORT` or `:PORT`; an IPv6 address in brackets.
    ///   - ports: those that make sense; 0 picks a free one where one is listened on.
    ///   - option: as the user wrote it: `--listen`.
    ///   - example: a command line that would do.
    /// - Throws: ``CommandFailure``.
    init(_ text: String, ports: ClosedRange<Int> = 0...65535, option: String, example: String) throws {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            ports.contains(port)
        else { throw CommandFailure(.usage, "\(option) takes HOST:PORT, not \(text)", hint: example) }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.host = host.isEmpty ? "127.0.0.1" : String(isBracketed ? host.dropFirst().dropLast() : host)
        self.port = port
    }
}
