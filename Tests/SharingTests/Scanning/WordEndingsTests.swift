import Testing

@testable import Sharing

struct WordEndingsTests {
    private let endings = WordEndings(["backup", "yedek", "резервн", "回復", " de récup"])

    @Test(arguments: [
        ("backup", [6]), ("BackUp codes, BACKUP keys", [6, 20]), ("Yedek", [5]), ("Резервные", [14]),
        ("РЕЗЕРВНЫЕ", [14]), ("回復コード", [6]), ("codes de récupération", [15]), ("CODES DE RÉCUPÉRATION", [15]),
        ("", []), ("back", []), ("edek", []), ("bac kup", []), ("резерв", []), ("回 復", []),
    ])
    func placesBehindWords(text: String, places: [Int]) {
        #expect(endings.places(in: Array(text.utf8)) == places)
    }
}
