import Testing

@testable import Sharing

/// What databases and statements tell of the values of columns.
struct DatabaseSlotsTests {
    private static func told(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return DatabaseSlots.slots(in: bytes[...]).map {
            "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))"
        }
    }

    @Test(arguments: [
        ("Duplicate entry 'bolund' for key 'users.users_username_unique'", ["users_username=bolund"]),
        ("1062 Duplicate entry 'ada@mail.example' for key 'email' (SQL: insert)", ["email=ada@mail.example"]),
        ("Key (lower(username::text))=(bolund) already exists.", ["username=bolund"]),
        ("Key (tenant_id, username)=(3, bolund) already exists.", ["username=bolund"]),
        (
            "UNIQUE KEY constraint 'UQ_username'. … The duplicate key value is (bolund).",
            ["UQ_username=bolund"]
        ),
        ("select * from `users` where `username` = 'bolund' limit 1", ["username=bolund"]),
        ("where `users`.`username` = bolund limit 1", ["username=bolund"]),
        (#"where "username" = 'bolund'"#, ["username=bolund"]),
        ("where [username] = 'bolund'", ["username=bolund"]),
        ("WHERE username LIKE '%bolund%'", ["username=bolund"]),
        ("where `surname` = 'O''Quill' limit 1", ["surname=O''Quill"]), ("where `surname` = 'O''Quill", []),
        // Other columns, marks for values, and texts that are cut off.
        ("Duplicate entry '7' for key 'PRIMARY'", []),
        ("Duplicate entry '", []),
        ("Key (id)=(3) already exists.", []),
        ("Key (lower(username))=(", []),
        ("Key (tenant_id, username)=(3, bo, lund) already exists.", []),
        ("constraint 'PK_x'. The duplicate key value is (7).", []),
        ("`username` = ? and `username` = :username and `username` = null", []),
        ("where `theme` = 'dark' and x = 'bolund'", []),
        (#""username" = 'bolund"#, []),
        (" = 'bolund'", []),
    ])
    func valueIsCalledByItsColumn(text: String, told: [String]) {
        #expect(Self.told(text) == told)
    }
}
