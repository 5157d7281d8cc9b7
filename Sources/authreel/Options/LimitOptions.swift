import ArgumentParser
import Proxy

/// How large and how long things may get.
struct LimitOptions: ParsableArguments {
    @Option(
        name: .customLong("max-body"),
        help: ArgumentHelp(
            "Bytes of a body that are kept (suffixes K, M, G); the rest streams by.",
            valueName: "SIZE"
        )
    )
    var maximumBody = "4M"

    @Option(
        name: .customLong("max-head"),
        help: ArgumentHelp(
            "Bytes of a request's head that is said to the recorder itself; longer ones are answered 431.",
            discussion: "From 256K on also of any other head of HTTP/1; longer ones pass unread.",
            valueName: "SIZE"
        )
    )
    var maximumHead = "64K"

    @Option(
        name: .customLong("max-held"),
        help: ArgumentHelp(
            "Bytes that all connections together may hold of messages that are not whole yet.",
            discussion: "Beyond, bodies are cut short in the capture; what passes is never cut.",
            valueName: "SIZE"
        )
    )
    var maximumHeld = "256M"

    @Option(
        name: .customLong("max-connections"),
        help: ArgumentHelp(
            "Connections of clients at a time; further ones are closed.",
            discussion: "Where half of them have said nothing yet, the oldest of those gives way.",
            valueName: "COUNT"
        )
    )
    var maximumConnections = 4096

    @Option(
        name: .customLong("connect-timeout"),
        help: ArgumentHelp(
            "How long to wait for a provider's connection (15 by itself).",
            discussion: "For an upstream proxy to make one: 60 by itself.",
            valueName: "SECONDS"
        )
    )
    var connectTimeout: Double?

    @Option(
        name: .customLong("handshake-timeout"),
        help: ArgumentHelp("How long a TLS handshake may take, on either side.", valueName: "SECONDS")
    )
    var handshakeTimeout: Double = 20

    @Option(
        name: .customLong("head-timeout"),
        help: ArgumentHelp(
            "How long a client may take to say what it wants of the recorder; 408 then.",
            valueName: "SECONDS"
        )
    )
    var headTimeout: Double = 30

    /// How much of a body is kept.
    ///
    /// - Throws: ``CommandFailure`` for what is no size.
    func bodyBytes() throws -> Int { try Self.bytes(maximumBody, "--max-body", example: "16M") }

    /// The limits of the proxy.
    ///
    /// - Throws: ``CommandFailure`` for what makes no sense.
    func limits() throws -> ProxyLimits {
        guard (1...1_000_000).contains(maximumConnections) else {
            throw CommandFailure(
                .usage,
                "--max-connections takes a number from 1 on, not \(maximumConnections)",
                hint: "for example --max-connections 1000"
            )
        }
        var limits = ProxyLimits(
            headBytes: try Self.bytes(maximumHead, "--max-head", example: "128K", least: 256),
            headTime: try Self.time(headTimeout, "--head-timeout"),
            handshakeTime: try Self.time(handshakeTimeout, "--handshake-timeout"),
            connections: maximumConnections,
            heldBytes: try Self.bytes(maximumHeld, "--max-held", example: "1G", least: 1 << 20)
        )
        if let connectTimeout {
            limits.connectTime = try Self.time(connectTimeout, "--connect-timeout")
            // Whoever makes the connection.
            limits.proxyTime = limits.connectTime
        }
        return limits
    }

    private static func time(_ seconds: Double, _ option: String) throws -> Duration {
        guard seconds >= 0.1, seconds <= 86_400 else {
            throw CommandFailure(
                .usage,
                "\(option) takes seconds, from 0.1 to a day of them, not \(seconds)",
                hint: "for example \(option) 60"
            )
        }
        return .milliseconds(Int64(seconds * 1000))
    }

    /// A size as an option takes it: digits, and K, M or G, which mean the same as KB and KiB.
    ///
    /// - Throws: ``CommandFailure`` for what is no size, or below the least.
    static func bytes(
        _ text: String,
        _ option: String,
        example: String,
        least: Int = 0
    ) throws -> Int {
        let units = [
            "": 1, "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20,
            "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
        ]
        let digits = text.prefix { $0.isASCII && !$0.isLetter }
        guard let unit = units[text.dropFirst(digits.count).lowercased()], let count = Int(digits),
            count >= 0, count < 1 << 32
        else {
            throw CommandFailure.unfit(
                text,
                for: option,
                taking: "a number of bytes",
                hint: "for example \(option) \(example)"
            )
        }
        let bytes = count * unit
        guard bytes >= least else {
            throw CommandFailure(
                .usage,
                "\(option) is \(least) bytes at least",
                hint: "for example \(option) \(example)"
            )
        }
        return bytes
    }
}
