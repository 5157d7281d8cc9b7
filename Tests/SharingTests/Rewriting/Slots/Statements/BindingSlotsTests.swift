import Testing

@testable import Sharing

/// What is put in for the marks of a statement.
struct BindingSlotsTests {
    private static func told(_ slots: [Slot], _ bytes: [UInt8]) -> [String] {
        slots.filter { !$0.name.isEmpty }.map {
            "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))"
        }
    }

    @Test(arguments: [
        ("select * from users where username = ? limit 1", #"["bolund"]"#, ["username=bolund"]),
        ("INSERT INTO users (id, username, t) VALUES (?, ?, ?)", #"[3,"bolund","x"]"#, ["username=bolund"]),
        (
            "INSERT INTO users (`id`, `password`) VALUES ($1, $2), ($3, $4)",
            #"["3","zem4K!","4","zem5K!"]"#, ["password=zem4K!", "password=zem5K!"]
        ),
        (
            "SELECT id FROM users WHERE tenant = $1 AND 'users'.[username] ILIKE $2", #"["acme","bolund"]"#,
            ["username=bolund"]
        ),
        ("update users set family_name = %s where id = %s", #"["Quill","7"]"#, ["family_name=Quill"]),
        // Other columns, as many values as nobody can tell apart, and no statement.
        ("select * from themes where theme = ?", #"["dark"]"#, []),
        ("select * from users where username = ? and id = ?", #"["bolund",null]"#, []),
        ("the username = ?", #"["bolund"]"#, []), ("select", #"["bolund"]"#, []),
        ("insert into users (", #"["bolund"]"#, []), ("select ?", #"["bolund"]"#, []),
    ])
    func valueIsCalledByItsColumn(statement: String, values: String, told: [String]) {
        for name in ["bindings", "params"] {
            let bytes = Array(#"{"sql":"\#(statement)","\#(name)":\#(values)}"#.utf8)
            let slots = ScriptSlots.slots(in: bytes[...])
            #expect(Self.told(slots.filter { $0.name != "sql" && $0.name != name }, bytes) == told)
        }
    }

    /// Below a statement; one inside of another is no statement of its own, and other columns tell nobody.
    @Test(arguments: [
        (
            "SQL : select u.id from users u where u.tenant=? and u.username=?\n"
                + "Binder : binding parameter [1] as [VARCHAR] - [acme]\n"
                + "Binder : binding parameter [2] as [VARCHAR] - [bolund]\n",
            ["username=bolund"]
        ),
        (
            "Hibernate: insert into users (password,username,id) values (?,?,?)\n"
                + "bind : binding parameter (1:VARCHAR) <- [zem4K!]\n"
                + "bind : binding parameter (2:VARCHAR) <- [null]\nbind : binding parameter (3:BIGINT) <- [31]",
            ["password=zem4K!"]
        ),
        (
            "Preparing: select * from users where username = ? and id in (select x from y where z = ?)\n"
                + "Parameters: bolund(String), 3(Integer)",
            ["username=bolund"]
        ),
        (
            #"query: SELECT "u"."id" FROM "users" "u" WHERE "u"."username" = $1 -- PARAMETERS: ["bolund"]"#,
            ["username=bolund"]
        ),
        (
            "LOG:  execute <unnamed>: SELECT id FROM users WHERE id = $1 AND username = $2\n"
                + "DETAIL:  parameters: $1 = '31', $2 = 'bolund'",
            ["username=bolund"]
        ),
        (
            "Engine SELECT id FROM users WHERE users.username = ?\nEngine [generated in 0.0001s] ('bolund',)",
            ["username=bolund"]
        ),
        (
            "Executing prepared SQL statement [select id from users where tenant = ? and username = ?]\n"
                + "Setting SQL statement parameter value: column index 1, parameter value [acme], value class [x]\n"
                + "Setting SQL statement parameter value: column index 2, parameter value [bolund], value class [x]",
            ["username=bolund"]
        ),
        (
            "[Parameters=[@p1='7', @p0='bolund' (Size = 256), @p2=NULL], CommandType='Text']\n"
                + "UPDATE [Users] SET [UserName] = @p0, [Theme] = @p2\nWHERE [Id] = @p1;",
            ["UserName=bolund"]
        ),
        (
            "[Parameters=[@p0='31', @p1='zem4K!'], CommandType='Text']\r\nSET NOCOUNT ON;\r\n"
                + "INSERT INTO [Users] ([Id], [Password])\r\nVALUES (@p0, @p1);",
            ["Password=zem4K!"]
        ),
        // An apostrophe in a value is written twice; without quotation marks there is none.
        (
            "LOG:  execute <unnamed>: INSERT INTO users (nick, surname, id, password) VALUES ($1, $2, $3, $4)\n"
                + "DETAIL:  parameters: $1 = NULL, $2 = 'O''Quill', $3 = '', $4 = 'zem4K!'",
            ["surname=O''Quill", "password=zem4K!"]
        ),
        (
            "[Parameters=[@p0='O''Quill' (Size = 256), @p1='zem4K!'], CommandType='Text']\n"
                + "INSERT INTO [Users] ([Surname], [Password])\nVALUES (@p0, @p1);",
            ["Surname=O''Quill", "Password=zem4K!"]
        ),
        (
            "exec sp_executesql N'UPDATE [Users] SET [Surname] = @s WHERE [UserName] = @n',"
                + "N'@s nvarchar(256),@n nvarchar(256)',@s=N'O''Quill',@n=N'bolund'",
            ["Surname=O''Quill", "UserName=bolund"]
        ),
        // Behind a statement, in its line.
        (
            #"SELECT "id" FROM "users" WHERE "username" = $1 AND "tenant" = $2; ["bolund", "acme"]"#,
            ["username=bolund"]
        ),
        (
            #"INSERT INTO "users" ("id","username","password") VALUES (DEFAULT,$1,$2); "bolund", "zem4K!""#,
            ["username=bolund", "password=zem4K!"]
        ),
        (
            #"QUERY OK db=0.6ms\#nSELECT u0."id" FROM "users" AS u0 WHERE (u0."username" = $1) ["bolund"]"#,
            ["username=bolund"]
        ),
        (
            #"SELECT t0.id FROM user t0 WHERE t0.username = ? AND t0.id = ? (parameters: array{"1":"bolund","2":3}, "#
                + #"types: array{"1":2,"2":1})"#,
            ["username=bolund"]
        ),
        (
            "exec sp_executesql N'SELECT [u].[Id] FROM [Users] AS [u] WHERE [u].[UserName] = @n AND [u].[Age] = @a',"
                + "N'@n nvarchar(256),@a int',@n=N'bolund',@a=31",
            ["UserName=bolund"]
        ),
        (
            #"SELECT 1 FROM [Users] WHERE [UserName] = ? AND [TenantKey] = ? ["bolund", "harbour"]"#,
            ["UserName=bolund"]
        ),
        (
            #"SELECT * FROM users WHERE id = $1 AND note = 'a [b]' AND password = $2 [1, "zem4K!"]"#,
            ["password=zem4K!"]
        ),
        (#"SELECT id FROM users WHERE username = $1 AND id = $2; ["bolund"]"#, []),
        (#"select what is username = $1 and nothing else is given here"#, []),
        ("[Parameters=[@p0='?' (Size = 256)]]\nUPDATE [Users] SET [UserName] = @p0", []),
        ("[Parameters=[@p0='darkish' (Size = 256)]]\nUPDATE [Themes] SET [Name] = @p0", []),
        ("[Parameters=[@p0='bolund' (Size = 256), @", []),
        ("binding parameter [1] as [VARCHAR] - [bolund]", []), ("Parameters: bolund(String)", []),
        ("SQL : select ? \nbinding parameter [0] as [VARCHAR] - [x]", []), ("binding parameter ", []),
        ("x : select a where username=?\nParameters: (", []),
    ])
    func valueBelowAStatementIsToldInALogToo(text: String, told: [String]) {
        let bytes = Array(text.utf8)
        #expect(Self.told(LoggedStatements.slots(in: bytes[...]), bytes) == told)
    }

    @Test(arguments: [
        (
            "[SQL: INSERT INTO users (id, username) VALUES (?, ?)]\n[parameters: (3, 'bolund')]",
            ["username=bolund"]
        ),
        ("[SQL: SELECT id FROM users WHERE username = %s] [parameters: ('bolund',)]", ["username=bolund"]),
        (
            "[SQL: SELECT id FROM users WHERE surname = ? AND username LIKE ?] [parameters: ('O''Quill', 'bolund')]",
            ["surname=O''Quill", "username=bolund"]
        ),
        ("[SQL: SELECT id FROM users WHERE username LIKEN ?] [parameters: ('bolund',)]", []),
        ("[SQL: SELECT id FROM users WHERE id = ?] [parameters: (31,)]", []),
        ("[parameters: ('bolund')]", []), ("[SQL: SELECT ?] [parameters: (", []),
    ])
    func valueBehindAStatementIsToldInATextToo(text: String, told: [String]) {
        let bytes = Array(text.utf8)
        #expect(Self.told(BindingSlots.slots(in: bytes[...], bytes), bytes) == told)
    }
}
