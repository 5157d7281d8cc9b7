import TestSupport

/// What a sound HTTP/2 client says, and what becomes of it when a few of its bytes or frames are spoiled.
struct HTTP2Mutations {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func any<Element>(_ elements: [Element]) -> Element {
        // The arrays of this file are not empty.
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    // MARK: - A sound connection

    mutating func connection() -> HTTP2Bytes {
        var client = HTTP2Speaker.client(chance(2) ? [(3, 100), (4, 65_535)] : [])
        for number in 0..<Int.random(in: 1...5, using: &random) {
            let stream = UInt32(number * 2 + 1)
            let method = any(["GET", "POST", "PUT"])
            var fields = HTTP2Speaker.request(method, "/\(number)?q=%2F")
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                fields.append(any([("x-a", "v"), ("cookie", "a=b"), ("accept", "*/*"), ("x-utf", "é")]))
            }
            let hasBody = method != "GET"
            head(stream, fields, ends: !hasBody, &client)
            guard hasBody else { continue }
            for part in 0..<Int.random(in: 1...3, using: &random) {
                let body = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let padding = UInt8.random(in: 0...5, using: &random)
                // Padded (8).
                client.frame(0, 8, stream, [padding] + body + [UInt8](repeating: 0, count: Int(padding)))
                if part == 0, chance(4) { client.frame(6, 0, 0, [UInt8](repeating: 1, count: 8)) }
            }
            if chance(2) {
                client.frame(0, 1, stream, [])
            } else {
                client.headers(stream, [("x-sum", "1")], ends: true)
            }
            if chance(4) { client.frame(8, 0, chance(2) ? 0 : stream, [0, 0, 1, 0]) }
            if chance(6) { client.frame(0x7e, 0, 0, [1, 2, 3]) }
        }
        return HTTP2Bytes(bytes: client.bytes)
    }

    /// Whole, or cut into HEADERS and CONTINUATION; with a priority, now and then.
    private mutating func head(
        _ stream: UInt32,
        _ fields: [(String, String)],
        ends: Bool,
        _ client: inout HTTP2Speaker
    ) {
        let block = client.block(fields)
        let hasPriority = chance(3)
        let priority: [UInt8] = hasPriority ? [0, 0, 0, 0, 15] : []
        let flags: UInt8 = (ends ? 1 : 0) | (hasPriority ? 0x20 : 0)
        guard chance(3) else { return client.frame(1, flags | 4, stream, priority + block) }
        let cut = Int.random(in: 0...block.count, using: &random)
        client.frame(1, flags, stream, priority + block.prefix(cut))
        client.frame(9, 4, stream, Array(block.dropFirst(cut)))
    }

    // MARK: - Spoiled ones

    mutating func spoil(_ subject: HTTP2Bytes) -> HTTP2Bytes {
        var frames = Self.frames(subject.bytes)
        for _ in 0..<Int.random(in: 1...2, using: &random) where !frames.isEmpty {
            let place = Int.random(in: 0..<frames.count, using: &random)
            switch Int.random(in: 0...5, using: &random) {
            case 0, 1:
                let byte = Int.random(in: 0..<frames[place].count, using: &random)
                frames[place][byte] ^= 1 << UInt8.random(in: 0...7, using: &random)
            // The head of a frame: length, type, flags, stream.
            case 2:
                frames[place][any([2, 3, 4, 4, 8])] = any([0, 1, 3, 4, 5, 8, 9, 0x20, 0xff])
            case 3: frames.remove(at: place)
            case 4: frames.insert(frames[place], at: Int.random(in: 0...frames.count, using: &random))
            default: frames.swapAt(place, Int.random(in: 0..<frames.count, using: &random))
            }
        }
        return HTTP2Bytes(bytes: HTTP2Speaker.preface + frames.flatMap { $0 })
    }

    /// Sound bytes cut into frames, each with its head.
    private static func frames(_ bytes: [UInt8]) -> [[UInt8]] {
        var rest = bytes.dropFirst(HTTP2Speaker.preface.count)
        var frames: [[UInt8]] = []
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            frames.append(Array(rest.prefix(9 + length)))
            rest = rest.dropFirst(9 + length)
        }
        return frames
    }
}
