import Captures

/// Finds in bytes any twelve characters in a row that also stand in one of many texts.
///
/// Letters of ASCII are compared without their case, and `+` counts as a space, since forms write one for the other. A
/// character is a UTF-8 sequence; bytes that are none match only themselves. Takes about eight bytes of memory for each
/// byte of text and, per byte looked at, one step whatever the number of texts.
struct WindowIndex: Sendable {
    /// The characters of a window.
    static let length = 12
    /// Stands in no text (no byte of UTF-8) and in no window.
    static let separator: UInt8 = 0xff

    /// Characters in a row that stand in a text.
    struct Run: Equatable {
        /// In bytes.
        var range: Range<Int>
        /// The first text that holds them.
        var text: Int
        var characters: Int
    }

    /// The texts, folded, each followed by a separator.
    private var bytes: [UInt8] = []
    /// Where each text begins in `bytes`.
    private var starts: [Int] = []
    /// An open hash table of window starts in `bytes`, no window twice.
    private var slots: [UInt32]
    /// A Bloom filter of the windows, two bits of one word for each.
    private var filter: [UInt64]

    private static let vacant = UInt32.max
    /// A window of four-byte characters.
    private static let maximumBytes = 4 * length

    /// Indexes the texts; one that would take the sum of them over 4 GiB is left out, see ``holdsAny(of:)``.
    ///
    /// What is lawful is not looked for: no window with a character in it that stands in twelve lawful characters in a
    /// row. So a window that begins in lawful text and ends in a secret is none: of its characters, the secret ones are too
    /// few to tell anything, and one of them is soon the same by accident. Nor is a window of marks alone: those stay as they
    /// are, and the spaces that fill up somebody's name stand anywhere.
    ///
    /// `markLawful`: is handed a function that takes lawful text, as often as there is some.
    init(
        _ texts: some Sequence<String>,
        markLawful: ((UnsafeBufferPointer<UInt8>) -> Void) -> Void = { _ in }
    ) {
        var windows = 0
        for text in texts {
            starts.append(bytes.count)
            guard bytes.count + text.utf8.count < Int(Self.vacant) else { continue }
            var characters = 0
            for byte in text.utf8 {
                bytes.append(Self.folded(byte))
                if byte & 0xc0 != 0x80 { characters += 1 }
            }
            bytes.append(Self.separator)
            windows += max(0, characters - Self.length + 1)
        }
        starts.append(bytes.count)
        slots = Array(repeating: Self.vacant, count: windows + windows / 2 + 1)
        filter = Array(repeating: 0, count: windows / 8 + 1)
        insertWindows(without: [])

        var lawful = [Bool](repeating: false, count: slots.count)
        markLawful { text in
            forEachHit(in: text) { _, slot in
                lawful[slot] = true
                return false
            }
        }
        guard lawful.contains(true) else { return }
        // The same twelve characters can be lawful in one text and next to lawful ones in another.
        var isCovered = [Bool](repeating: false, count: bytes.count)
        bytes.withUnsafeBufferPointer { bytes in
            forEachHit(in: bytes) { window, slot in
                if lawful[slot] { for index in window { isCovered[index] = true } }
                return false
            }
        }
        for slot in slots.indices { slots[slot] = Self.vacant }
        for word in filter.indices { filter[word] = 0 }
        insertWindows(without: isCovered)
    }

    /// - Parameter isCovered: for each byte whether a window must not have it; empty for no byte.
    private mutating func insertWindows(without isCovered: [Bool]) {
        bytes.withUnsafeBufferPointer { bytes in
            filter.withUnsafeMutableBufferPointer { filter in
                slots.withUnsafeMutableBufferPointer { slots in
                    var lastCovered = -1
                    var lastLetter = -1
                    var looked = 0
                    Self.forEachWindow(in: bytes) { start, end, hash in
                        while looked < end {
                            if !isCovered.isEmpty, isCovered[looked] { lastCovered = looked }
                            if bytes[looked].isASCIIAlphanumeric || bytes[looked] >= 0x80 {
                                lastLetter = looked
                            }
                            looked += 1
                        }
                        guard lastCovered < start, lastLetter >= start else { return false }
                        Self.insert(bytes, start..<end, hash, into: slots, filter)
                        return false
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func insert(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ window: Range<Int>,
        _ hash: UInt64,
        into slots: UnsafeMutableBufferPointer<UInt32>,
        _ filter: UnsafeMutableBufferPointer<UInt64>
    ) {
        let word = word(of: hash, in: filter.count)
        let bits = bits(of: hash)
        let isKnown = filter[word] & bits == bits
        filter[word] |= bits
        var slot = reduced(hash, to: slots.count)
        while slots[slot] != vacant {
            if isKnown, isEqual(bytes, window, to: bytes, at: Int(slots[slot])) { return }
            slot = slot + 1 == slots.count ? 0 : slot + 1
        }
        slots[slot] = UInt32(truncatingIfNeeded: window.lowerBound)
    }

    /// Whether a window of this text is indexed.
    func holdsAny(of text: Int) -> Bool {
        let range = starts[text]..<starts[text + 1]
        var isHeld = false
        bytes.withUnsafeBufferPointer { bytes in
            forEachHit(in: UnsafeBufferPointer(rebasing: bytes[range])) { _, _ in
                isHeld = true
                return true
            }
        }
        return isHeld
    }

    /// The first runs of characters that stand in a text, from left to right; none overlaps another.
    func runs(in view: UnsafeBufferPointer<UInt8>, limit: Int) -> [Run] {
        var runs: [Run] = []
        forEachHit(in: view) { window, slot in
            if let last = runs.last, window.lowerBound < last.range.upperBound {
                runs[runs.count - 1].range = last.range.lowerBound..<window.upperBound
                return false
            }
            guard runs.count < limit else { return true }
            runs.append(Run(range: window, text: text(at: Int(slots[slot])), characters: 0))
            return false
        }
        for index in runs.indices {
            runs[index].characters = view[runs[index].range].count { $0 & 0xc0 != 0x80 }
        }
        return runs
    }

    /// The text in which a position of `bytes` lies.
    private func text(at position: Int) -> Int { starts.partitionPoint { $0 > position } - 1 }

    // MARK: - Looking up

    /// Visits the windows of a view that are indexed, with their slots; true from `visit` ends the walk.
    private func forEachHit(in view: UnsafeBufferPointer<UInt8>, _ visit: (Range<Int>, Int) -> Bool) {
        guard view.count >= Self.length, !bytes.isEmpty else { return }
        bytes.withUnsafeBufferPointer { bytes in
            filter.withUnsafeBufferPointer { filter in
                slots.withUnsafeBufferPointer { slots in
                    let words = filter.count
                    Self.forEachWindow(in: view) { start, end, hash in
                        let bits = Self.bits(of: hash)
                        guard filter[Self.word(of: hash, in: words)] & bits == bits else { return false }
                        var slot = Self.reduced(hash, to: slots.count)
                        while slots[slot] != Self.vacant {
                            if Self.isEqual(view, start..<end, to: bytes, at: Int(slots[slot])) {
                                return visit(start..<end, slot)
                            }
                            slot = slot + 1 == slots.count ? 0 : slot + 1
                        }
                        return false
                    }
                }
            }
        }
    }

    /// Whether a window of a view is the one at a position of the indexed bytes, which are folded.
    @inline(__always)
    private static func isEqual(
        _ view: UnsafeBufferPointer<UInt8>,
        _ window: Range<Int>,
        to bytes: UnsafeBufferPointer<UInt8>,
        at position: Int
    ) -> Bool {
        guard position + window.count <= bytes.count else { return false }
        var offset = 0
        while offset < window.count {
            guard folded(view[window.lowerBound + offset]) == bytes[position + offset] else { return false }
            offset += 1
        }
        return true
    }

    // MARK: - Windows and their hashes

    /// Visits every window: its first byte, the byte behind its last, its hash; true from `visit` ends the walk.
    @inline(__always)
    private static func forEachWindow(
        in view: UnsafeBufferPointer<UInt8>,
        _ visit: (_ start: Int, _ end: Int, _ hash: UInt64) -> Bool
    ) {
        // The last twelve bytes: eight older ones, four newer ones.
        var older: UInt64 = 0
        var newer: UInt64 = 0
        let count = view.count
        var end = 0
        while end < count {
            older = older >> 8 | newer << 56
            newer = newer >> 8 | UInt64(folded(view[end])) << 24
            end += 1
            guard end >= length else { continue }
            if (older | newer) & 0x8080_8080_8080_8080 == 0 {
                guard !visit(end - length, end, mixed(older ^ newer &* 0x9e37_79b9_7f4a_7c15)) else { return }
            } else if let (start, hash) = wideWindow(of: view, endingAt: end) {
                guard !visit(start, end, hash) else { return }
            }
        }
    }

    /// The window of twelve characters that ends here, where one of them is not ASCII; nil inside of a character and
    /// behind a separator.
    @inline(never)
    private static func wideWindow(of view: UnsafeBufferPointer<UInt8>, endingAt end: Int)
        -> (start: Int, hash: UInt64)?
    {
        guard end == view.count || view[end] & 0xc0 != 0x80 else { return nil }
        var hash: UInt64 = 0
        var characters = 0
        var start = end
        while start > 0, end - start < maximumBytes {
            start -= 1
            let byte = view[start]
            guard byte != separator else { return nil }
            hash = (hash ^ UInt64(folded(byte))) &* 0x0000_0100_0000_01b3
            guard byte & 0xc0 != 0x80 else { continue }
            characters += 1
            if characters == length { return (start, mixed(hash)) }
        }
        return nil
    }

    @inline(__always)
    private static func mixed(_ value: UInt64) -> UInt64 {
        var hash = value &* 0xd6e8_feb8_6659_fd93
        hash ^= hash >> 32
        hash = hash &* 0xd6e8_feb8_6659_fd93
        return hash ^ hash >> 29
    }

    @inline(__always)
    private static func reduced(_ hash: UInt64, to count: Int) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: count)).high)
    }

    /// The word of the filter; taken from other bits of the hash than the slot.
    @inline(__always)
    private static func word(of hash: UInt64, in count: Int) -> Int {
        reduced(hash << 32 | hash >> 32, to: count)
    }

    @inline(__always)
    private static func bits(of hash: UInt64) -> UInt64 { 1 << (hash & 63) | 1 << (hash >> 6 & 63) }

    /// What a byte is compared as.
    @inline(__always)
    static func folded(_ byte: UInt8) -> UInt8 {
        if byte &- 0x41 < 26 { return byte | 0x20 }
        return byte == 0x2b ? 0x20 : byte
    }
}
