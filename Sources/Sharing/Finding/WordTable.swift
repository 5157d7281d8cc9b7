import Captures

/// Tables of words, written as texts: white space parts the words.
enum WordTable {
    static func words(_ text: String) -> [String] {
        text.utf8.split(whereSeparator: \.isASCIIWhiteSpace).map { String(Substring($0)) }
    }

    /// What stands for each word of the rows; of two rows with the same word the later one counts.
    static func byWord<Value>(_ rows: [(value: Value, words: String)]) -> [String: Value] {
        rows.reduce(into: [:]) { table, row in
            for word in words(row.words) { table[word] = row.value }
        }
    }
}
