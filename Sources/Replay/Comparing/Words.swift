/// Words between spaces.
enum Words {
    static func of(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
