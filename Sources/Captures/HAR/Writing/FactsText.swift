import JSON
import Synchronization

/// What the entries of one connection say of it and its client, written once.
///
/// The recorder's hot path: most entries come from a connection that had one before.
struct FactsText {
    /// Two pieces of an entry.
    struct Pieces {
        /// `serverIPAddress` and `connection`, each with a comma before it.
        var entry: [UInt8]
        /// `client` and `connection` of `_authreel`, with a comma between; empty where nothing is known.
        var ours: [UInt8]
    }

    private struct Key: Hashable {
        var connection: ObjectIdentifier?
        var client: ObjectIdentifier?
    }

    private struct Known {
        /// Kept, so that their identities stay theirs.
        var connection: Sparse<ConnectionFacts>
        var client: Sparse<ClientFacts>
        var pieces: Pieces
    }

    private var known: [Key: Known] = [:]
    /// More than this many connections are not busy at a time.
    private static let capacity = 512

    mutating func pieces(of exchange: Exchange) -> Pieces {
        let key = Key(connection: exchange.sharedConnection.identity, client: exchange.sharedClient.identity)
        if let known = known[key] { return known.pieces }
        let pieces = Self.pieces(exchange.connection, exchange.client)
        if known.count >= Self.capacity { known = [:] }
        known[key] = Known(
            connection: exchange.sharedConnection,
            client: exchange.sharedClient,
            pieces: pieces
        )
        return pieces
    }

    private static func pieces(_ connection: ConnectionFacts, _ client: ClientFacts) -> Pieces {
        var entry: [UInt8] = []
        for (name, value) in [
            ("serverIPAddress", connection.serverAddress.map(host)), ("connection", connection.id),
        ] {
            guard let value else { continue }
            entry.append(contentsOf: ",\"\(name)\":".utf8)
            JSONWriter.append(string: value, to: &entry)
        }
        var facts = JSONObject()
        var sender = JSONObject()
        if let process = client.process { sender["process"] = .string(process) }
        if let id = client.processID { sender["pid"] = JSONValue(id) }
        if let address = client.address { sender["address"] = .string(address) }
        if !sender.isEmpty { facts["client"] = .object(sender) }
        var ends = JSONObject()
        for (name, value) in [
            ("serverAddress", connection.serverAddress), ("clientTLS", connection.clientTLSVersion),
            ("serverTLS", connection.serverTLSVersion), ("cipher", connection.cipher),
            ("serverName", connection.serverName), ("alpn", connection.alpn),
            ("clientCertificate", connection.clientCertificate),
        ] {
            if let value { ends.members.append(JSONObject.Member(name: name, value: .string(value))) }
        }
        if !ends.isEmpty { facts["connection"] = .object(ends) }
        // Without its brackets.
        let ours = JSONWriter.bytes(of: .object(facts)).dropFirst().dropLast()
        return Pieces(entry: entry, ours: Array(ours))
    }

    /// Without the port; HAR wants the bare address.
    private static func host(of address: String) -> String {
        if address.utf8.first == 0x5b, let bracket = address.utf8.firstIndex(of: 0x5d) {
            return String(address[address.utf8.index(after: address.startIndex)..<bracket])
        }
        guard let colon = address.utf8.lastIndex(of: 0x3a), address.utf8.count(where: { $0 == 0x3a }) == 1
        else { return address }
        return String(address[..<colon])
    }
}

/// A ``FactsText`` for each of the threads that write entries at the same time.
///
/// Not tied to threads: each takes the first that nobody has, so that one busy thread always finds the same.
final class FactsTexts: Sendable {
    private let first = Mutex(FactsText())
    private let second = Mutex(FactsText())

    func withOne<Result>(_ body: (inout FactsText) -> Result) -> Result {
        if let result = first.withLockIfAvailable({ body(&$0) }) { return result }
        return second.withLock { body(&$0) }
    }
}
