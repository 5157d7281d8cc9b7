import Captures

/// What is not known of a connection's messages, as bytes are missing of it: in captures of packets.
struct MessageLosses {
    /// Messages some of whose header fields are not known.
    var incompleteHeads = 0
    /// Requests of which not even the URL is known.
    var unnamedRequests = 0

    /// Nil where there is nothing.
    var words: String? {
        var words: [String] = []
        if unnamedRequests > 0 { words.append("the URLs of \(unnamedRequests.counted("request"))") }
        if incompleteHeads > 0 { words.append("header fields of \(incompleteHeads.counted("message"))") }
        return words.isEmpty ? nil : words.joined(separator: " and ")
    }
}
