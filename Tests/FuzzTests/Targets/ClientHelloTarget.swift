@testable import TLS

/// What a client says first, before it is known to whom.
enum ClientHelloTarget {
    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        var whole = ClientHelloPeek()
        let result = whole.received(input)
        for cut in Pieces.cuts(of: input) {
            var peek = ClientHelloPeek()
            var last = ClientHelloPeek.Result.needsMoreBytes
            for piece in cut {
                let next = peek.received(piece)
                try require(last == .needsMoreBytes || next == last, "\(last) became \(next)")
                last = next
            }
            try require(last == result, "in pieces: \(last) instead of \(result)")
        }
        try require(
            result != .needsMoreBytes || input.count <= 2 * ClientHelloPeek.maximumLength,
            "\(input.count) bytes do not decide"
        )
        if case .found(let hello) = result { try isWithin(hello, input) }
        // Without records around it.
        try isWithin(ClientHello(body: input[...]), input)
    }

    private static func isWithin(_ hello: ClientHello, _ input: [UInt8]) throws(FuzzFinding) {
        // A byte that is no UTF-8 becomes three.
        let length = hello.alpn.reduce(hello.serverName?.utf8.count ?? 0) { $0 + $1.utf8.count }
        try require(length <= 3 * input.count, "\(length) bytes of names in a hello of \(input.count)")
    }
}
