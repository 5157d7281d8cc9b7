/// By which host each server was asked, for connections that came to nothing before they said whom they were for.
struct ServerNames {
    /// By `ADDRESS:PORT`; nil where one server was asked for several hosts.
    private var names: [String: String?] = [:]

    private static let maximum = 4096

    mutating func note(_ host: String, of address: String) {
        // Its address is no name of it.
        guard !address.hasPrefix(host), !address.hasPrefix("[\(host)") else { return }
        switch names[address] {
        case .some(.some(let known)) where known != host: names[address] = .some(nil)
        case .some: break
        case nil: if names.count < Self.maximum { names[address] = host }
        }
    }

    /// The one host that a server was asked for.
    func name(of address: String) -> String? { names[address] ?? nil }
}
