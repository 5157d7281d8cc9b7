import Foundation

/// The pages of the program's code that only its start needed.
enum StartupPages {
    /// Unmaps the code of the program and its libraries; what is needed again is there at its first use.
    ///
    /// Most of what a recorder holds of memory would else be code that found the command and the certificates. Code is
    /// never written to, so that nothing is lost; its pages stay in the system's cache.
    static func unmap() {
        #if os(Linux)
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
        for line in maps.split(separator: "\n") {
            // `START-END r-xp OFFSET DEVICE INODE PATH`
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count == 6, words[1] == "r-xp", words[5].hasPrefix("/") else { continue }
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, let start = UnsafeMutableRawPointer(bitPattern: bounds[0]) else {
                continue
            }
            madvise(start, Int(bounds[1] - bounds[0]), CInt(MADV_DONTNEED))
        }
        #endif
    }
}
