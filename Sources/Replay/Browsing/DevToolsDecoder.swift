/// Takes the messages of a browser out of the bytes of its pipe: JSON, each with a NUL behind it.
///
/// What is no message is passed over, and so is one that is larger than any that is asked for.
package struct DevToolsDecoder {
    private var pending: [UInt8] = []
    /// The message that is coming in has been given up.
    private var isSkipping = false
    private let maximumBytes: Int

    package init(maximumBytes: Int = 16 << 20) { self.maximumBytes = maximumBytes }

    /// Takes the next bytes, of any length; the messages that they complete, in order.
    package mutating func received(_ bytes: some Collection<UInt8>) -> [DevToolsMessage] {
        var messages: [DevToolsMessage] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0) {
            take(rest[..<end])
            if !isSkipping, let message = DevToolsMessage(pending) { messages.append(message) }
            pending = []
            isSkipping = false
            rest = rest[rest.index(after: end)...]
        }
        take(rest)
        return messages
    }

    private mutating func take(_ bytes: some Collection<UInt8>) {
        guard !isSkipping else { return }
        guard pending.count + bytes.count <= maximumBytes else {
            isSkipping = true
            pending = []
            return
        }
        pending += bytes
    }
}
