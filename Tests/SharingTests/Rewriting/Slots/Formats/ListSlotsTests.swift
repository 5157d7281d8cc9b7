import Testing

@testable import Sharing

/// Cells of tables and of rows in SQL that stand in a text.
struct ListSlotsTests {
    @Test(arguments: [
        ("| user | password |\n|---|---|\n| bo | zem4K! |\n", ["password=zem4K!"]),
        ("user | password\n--- | ---\nbo | zem4K!\nThat is all.\n1 | 2", ["password=zem4K!"]),
        ("Accounts:\n\n| Nr | Password |\n|--|:-:|\n| 7 | `zem4K!` |\n", ["Password=zem4K!"]),
        ("+----+-------+\n| id | password |\n+----+-------+\n| 1 | zem4K! |\n+----+", ["password=zem4K!"]),
        ("INSERT INTO users (nr, password) VALUES (7, 'zem4K!')", ["password=zem4K!"]),
        (
            "insert into `users` (`nr`, `password`, `note`) values (7,\"a1x9\",\"it\\'s, b\"), (8,\"zem4K!\",NULL)",
            ["password=a1x9", "password=zem4K!"]
        ),
        ("insert into users (nr, password) values (7, zem4K!))", ["password=zem4K!"]),
        ("INSERT INTO users (nr, password) VALUES (?, ?) [7, zem4K!]", ["password=zem4K!"]),
        // Its heads have no bracket among them.
        ("(password) values) values ('zem4K!')", []),
        // Without a rule below its heads it is no table.
        ("echo password | sudo -S ls\nls x | grep y", []), ("sum (password) of values (a, b)", []),
        ("| password |\n|---|\n", []), ("INSERT INTO users (password) VALUES ('zem4K", []),
    ])
    func cellsAreCalledByTheirHeads(text: String, told: [String]) {
        let bytes = Array(text.utf8)
        let slots = ListSlots.slots(in: bytes[...])
        #expect(slots.map { "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))" } == told)
    }

    /// Each list of columns looks for the end of its row, which may be anywhere.
    @Test func rowHasABound() {
        func slots(_ count: Int) -> [Slot] {
            let text = "(nr, password) values ('\(String(repeating: "x", count: count))', 'zem4K!')"
            return ListSlots.slots(in: Array(text.utf8)[...])
        }
        #expect(slots(4000).count == 1 && slots(5000).isEmpty)
    }
}
