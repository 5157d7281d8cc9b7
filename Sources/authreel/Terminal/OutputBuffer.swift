import Foundation

/// Standard output for much text: written in blocks.
struct OutputBuffer {
    private var bytes: [UInt8] = []

    mutating func line(_ text: String) {
        append(text)
        bytes.append(0x0a)
    }

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        if bytes.count > 1 << 16 { flush() }
    }

    mutating func flush() {
        FileHandle.standardOutput.write(Data(bytes))
        bytes.removeAll(keepingCapacity: true)
    }
}
