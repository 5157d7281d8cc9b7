import Foundation

/// The pages of the program and its libraries.
enum CodePages {
    /// Unmaps what came from the program's and its libraries' files and was never written to, code and constants; what is
    /// needed again is there at its first use.
    ///
    /// Most of what a recorder holds of memory would else be code that linked the libraries, read the arguments and found the
    /// certificates: it is called between such stages. Nothing is lost; the pages stay in the system's cache.
    static func unmap() {
        #if os(Linux)
        // Its size is not known before it is read to the end.
        guard let maps = try? FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd() else { return }
        var pages: UnsafeMutableRawBufferPointer?
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words[0].contains("-") {
                pages = unwritable(words)
            } else if words[0] == "Anonymous:", words[1] == "0", let found = pages {
                // With any, the loader has put addresses there (RELRO): they would be lost.
                madvise(found.baseAddress, found.count, CInt(MADV_DONTNEED))
            }
        }
        #endif
    }

    /// - Parameter words: `START-END PERMISSIONS OFFSET DEVICE INODE PATH` (proc(5)).
    /// - Returns: nil unless it is of a file and can only be read or run.
    private static func unwritable(_ words: [Substring]) -> UnsafeMutableRawBufferPointer? {
        guard words.count == 6, ["r-xp", "r--p"].contains(words[1]), words[5].hasPrefix("/") else {
            return nil
        }
        let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard bounds.count == 2, let start = UnsafeMutableRawPointer(bitPattern: bounds[0]) else {
            return nil
        }
        return UnsafeMutableRawBufferPointer(start: start, count: Int(bounds[1] - bounds[0]))
    }
}
