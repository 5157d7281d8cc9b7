import Captures

/// Names of subjects that no authority gives out (Decentralized Identifiers 1.0).
enum DecentralizedIdentifier {
    /// What a decentralized identifier begins with, its scheme and method (section 3.1):
    /// `did:web:`; nil for other texts.
    static func method(of text: String) -> String? {
        let parts = text.utf8.prefix(longestMethod).split(
            separator: 0x3a,
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, parts[0].elementsEqual("did".utf8), !parts[1].isEmpty,
            parts[1].allSatisfy({ (0x61...0x7a).contains($0) || $0.isASCIIDigit })
        else { return nil }
        return "did:" + String(decoding: parts[1], as: UTF8.self) + ":"
    }

    /// In bytes, with the scheme.
    private static let longestMethod = 32
}
