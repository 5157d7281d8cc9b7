internal import Captures

/// One client and one server, as what is known of the two together is kept by.
///
/// A client is its process, where the system tells, else its address.
struct ClientAtOrigin: Hashable {
    private let client: String
    private let host: String

    /// Nil where nothing tells the client from others.
    init?(_ client: ClientFacts, _ origin: Origin) {
        host = origin.description.lowercased()
        if let processID = client.processID {
            self.client = "\(processID) \(client.process ?? "")"
            return
        }
        // Without its port, which is another for each connection.
        guard let address = client.address, let colon = address.lastIndex(of: ":") else { return nil }
        self.client = String(address[..<colon])
    }
}
