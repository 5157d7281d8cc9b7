import Captures

/// What is not known of a connection's messages, as bytes are missing of it: in captures of packets.
struct MessageLosses {
    /// Answers whose requests were not seen.
    var unseenRequests = 0
    /// Messages some of whose header fields are not known.
    var incompleteHeads = 0
    /// Requests of which not even the URL is known.
    var unnamedRequests = 0

    /// Nil where there is nothing.
    var words: String? {
        var words: [String] = []
        if unseenRequests > 0 { words.append("the requests of \(unseenRequests.counted("answer"))") }
        if unnamedRequests > 0 { words.append("the URLs of \(unnamedRequests.counted("request"))") }
        if incompleteHeads > 0 { words.append("header fields of \(incompleteHeads.counted("message"))") }
        guard let last = words.popLast() else { return nil }
        return words.isEmpty ? last : "\(words.joined(separator: ", ")) and \(last)"
    }
}
