import Captures

/// How what a browser asks for gets to the recorder.
struct BrowserRoute {
    /// Where the recorder listens as a proxy.
    var proxy: Recording.Address
    /// SHA-256 of the public key in the certificates that the browser will see.
    var keyDigest: [UInt8]
    /// Where the recorder plays an origin: what goes there is recorded without the proxy as well.
    var played: [Recording.Address] = []

    /// What is asked for past the proxy, as browsers write it in their lists.
    var past: [String] {
        played.map(\.onThisMachine).flatMap { address in
            LoopbackHost.isLoopback(address.host) && address.host != "localhost"
                ? [address.description, "localhost:\(address.port)"] : [address.description]
        }
    }
}
