import Captures
import Testing

/// What the surroundings of the program give — time, environment, randomness — reaches the modules as arguments.
struct SurroundingsTests {
    private static let clocks = [
        "Date()", "Date.now", "timeIntervalSinceNow", "clock_gettime", "gettimeofday", "time(nil)",
        "CFAbsoluteTimeGetCurrent", "systemUptime", "ContinuousClock", "SuspendingClock", "DispatchTime",
        ".now()",
    ]

    private static let environment = [
        "ProcessInfo", "CommandLine", "getenv(", "setenv(", "currentDirectoryPath", "getcwd(",
        "NSHomeDirectory", "homeDirectory", "NSTemporaryDirectory", "temporaryDirectory", "gethostname(",
        "getpid(", "TimeZone.current", "Locale.current", "Calendar.current",
    ]

    private static let randomness = [
        ".random(in", "SystemRandomNumberGenerator", ".randomElement(", ".shuffled(", "UUID()", "arc4random",
        "getrandom(", "RAND_",
    ]

    /// Files that may, each word with what it is for.
    private static let exceptions: [String: [String: String]] = [
        "LibCrypto/SecureRandom.swift": ["RAND_": "the one source of random bytes, which others are handed"],
        "LibCrypto/CertificateIssuer.swift": ["RAND_": "serial numbers (RFC 5280, section 4.1.2.2)"],
        "Captures/Foreign/ScratchText.swift": [
            ".random(in": "the name of a file that is gone when it is open"
        ],
        "Captures/Exchange/Bodies/SpooledBytes.swift": [
            ".random(in": "the name of a file that is gone when it is open"
        ],
        "Captures/HAR/Writing/WriteWatch.swift": ["SuspendingClock": "how long a write hangs"],
        "Packets/Live/LiveInterface.swift": ["clock_gettime": "when the packets held back are due"],
        "TLS/TLSConnection.swift": [".now()": "the age of sessions"],
        "TLS/TLSConnection+Handshake.swift": [".now()": "the age of sessions"],
        "Proxy/Authority/AuthorityFiles.swift": ["getpid(": "the name of a file until it is whole"],
        "Proxy/Connect/TunnelHandler.swift": [".now()": "the age of a tunnel"],
        "Proxy/Tee/Tee.swift": [".now()": "the age of a connection"],
        "Proxy/Tee/Tee+Ends.swift": [".now()": "the age of a connection"],
        "Proxy/Upstream/HostResolver.swift": [".now()": "the age of answers"],
        "Replay/Sending/HTTPSender.swift": [".now()": "the age of idle connections"],
        "Reports/Viewer/Serving/ViewerShelf.swift": ["ContinuousClock": "how long a page waits for news"],
    ]

    @Test func areReadInTheCommandOnly() throws {
        let words = Self.clocks + Self.environment + Self.randomness
        var wrong: [String] = []
        var needed: Set<[String]> = []
        for file in try SourceFile.all(below: "Sources") where !file.path.hasPrefix("authreel/") {
            let said = words.filter(file.text.containsBytes)
            guard !said.isEmpty else { continue }
            for (number, line) in file.code {
                for word in said where line.contains(word) {
                    if Self.exceptions[file.path]?[word] != nil {
                        needed.insert([file.path, word])
                    } else {
                        wrong.append("Sources/\(file.path):\(number): \(word)")
                    }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        let listed = Set(Self.exceptions.flatMap { file, words in words.keys.map { [file, $0] } })
        #expect(listed.subtracting(needed) == [], "no longer needed")
    }
}
