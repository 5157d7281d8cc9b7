import JSON
import Testing

@testable import Sharing

/// What a variable of a query holds is told by the argument that it is given to.
struct GraphQLVariablesTests {
    private static let rows: [(query: String, variables: String, told: [String])] = [
        (
            #"mutation L($m: String!, $p: String!) {\n  login(email: $m, password : $p) { token }\n}"#,
            #"{"m": "ada@mail.example", "p": "tr0ub4dor"}"#, ["email=ada@mail.example", "password=tr0ub4dor"]
        ),
        // Beside a password an account, and elsewhere whatever is called so.
        (
            "{signIn(login:$a,password:$b)}", #"{"a": "ada", "b": "tr0ub4dor"}"#,
            ["username=ada", "password=tr0ub4dor"]
        ),
        ("{a(login: $a)}", #"{"a": "ada"}"#, ["login=ada"]),
        (#"{a(\nsecret:$s)}"#, #"{"s": "x"}"#, ["secret=x"]),
        (#"{a(password:\n\t$id)}"#, #"{"id": "tr0ub4dor"}"#, ["password=tr0ub4dor"]),
        (#"{a(password: \u0024p)}"#, #"{"\u0070": "tr0ub4dor"}"#, ["password=tr0ub4dor"]),
        // A name of its own says more; one that says nothing has nothing to give.
        ("{a(id: $userName, kind: $k)}", #"{"userName": "ada", "k": "x"}"#, ["userName=ada", "kind=x"]),
        ("{a(password: $value)}", #"{"value": "tr0ub4dor"}"#, ["password=tr0ub4dor"]),
        ("{a(password:, $p)}", #"{"p": "tr0ub4dor"}"#, ["password=tr0ub4dor"]),
        (#"{a(password # a: b\n: # its, value\n $p)}"#, #"{"p": "tr0ub4dor"}"#, ["password=tr0ub4dor"]),
        ("{a(password: [$x, $p])}", #"{"p": "tr0ub4dor"}"#, ["password=tr0ub4dor"]),
        // The most secret of its arguments decides.
        ("{a(password: $p, confirm: $p)}", #"{"p": "tr0ub4dor"}"#, ["password=tr0ub4dor"]),
        ("{b(scope: $p, kind: $p, token: $p, note: $p)}", #"{"p": "tr0ub4dor"}"#, ["token=tr0ub4dor"]),
        (#"{a(: $p, \\: $p, $p: $q, $)}"#, #"{"p": "x"}"#, ["p=x"]), ("plain", #"{"p": "x"}"#, ["p=x"]),
    ]

    @Test(arguments: rows.indices) func variableIsNamedByItsArgument(row: Int) {
        let (query, variables, told) = Self.rows[row]
        let text = Array(#"{"query": "\#(query)", "variables": \#(variables)}"#.utf8)
        let slots = ScriptSlots.slots(in: text[...]).filter { $0.name != "query" }
        #expect(slots.map { "\($0.name)=\(String(decoding: text[$0.range], as: UTF8.self))" } == told)
    }

    private static let query = "%7Ba(password%3A%20%24p)%7D"
    private static let variables = "%7B%22p%22%3A%22tr0ub4dor%22%7D"
    private static let part = "--x\r\nContent-Disposition: form-data; name="

    /// In a document, a form, an address, and the parts of one.
    private static let texts: [(text: String, kind: TextKind)] = [
        (#"{"query": "{a(password: $p)}", "variables": "{\"p\": \"tr0ub4dor\"}"}"#, .json),
        (#"[{"query": "{a(password: \u0024p)}", "variables": "{\"\\u0070\": \"tr0ub4dor\"}"}]"#, .json),
        (#"{"query": "{a(password: $p)}", "variables": "\"{\\\"p\\\": \\\"tr0ub4dor\\\"}\""}"#, .json),
        (#"{"query": "mutation L($p: String = \"tr0ub4dor\") {a(password: $p)}"}"#, .json),
        (#"{"query": "mutation($password:String!=\"tr0ub4dor\") {a(b: $password)}"}"#, .json),
        ("query=mutation($password:String=%22tr0ub4dor%22,$a:B){a(b:$password)}", .form),
        ("query=\(query)&variables=\(variables)", .form),
        ("variables=\(variables)&query={a(password:+%24p)}", .form),
        (#"{"mutation": "{a(password: $p)}", "variables": {"p": "tr0ub4dor"}}"#, .json),
        (#"{"document": "{a(password: $p)}", "variables": {"p": "tr0ub4dor"}}"#, .json),
        // Of an object, whatever its members are called.
        (#"{"query": "{a(password: $o)}", "variables": {"o": {"raw": "tr0ub4dor", "kind": "x"}}}"#, .json),
        (#"{"query": "{a(password: $o)}", "variables": {"o": [{"in": {"raw": "tr0ub4dor"}}]}}"#, .json),
        (#"{"query": "{a(password: $o)}", "variables": "{\"o\": {\"raw\": \"tr0ub4dor\"}}"}"#, .json),
        (#"{"Query": "{a(password: $p)}", "Variables": "{\"p\": \"tr0ub4dor\"}"}"#, .json),
        ("query={a(password%253A$p)}&variables=%257B%2522p%2522:%2522tr0ub4dor%2522%257D", .form),
        ("https://api.example/graphql?query=\(query)&variables=\(variables)", .url),
        (
            "\(part)query\r\n\r\n{a(password: $p)}\r\n\(part)variables\r\n\r\n{\"p\": \"tr0ub4dor\"}\r\n--x--",
            .multipart(boundary: Array("x".utf8))
        ),
    ]

    @Test(arguments: texts.indices) func variablesMayBeAText(index: Int) {
        let (text, kind) = Self.texts[index]
        var names: [String] = []
        let walker = TextWalker { value in
            if value.text == "tr0ub4dor" { names.append(value.name) }
            return nil
        }
        #expect(walker.rewriting(Array(text.utf8), as: kind) == nil)
        #expect(names == ["password"])
    }

    /// What is no variable keeps its name, whatever a query calls so.
    private static let others: [(text: String, kind: TextKind, names: [String])] = [
        ("query=password:$kind&kind=plain", .form, ["kind"]),
        ("https://shop.example/s?query=token:$kind&kind=plain", .url, ["kind"]),
        (
            "\(part)query\r\n\r\npassword: $kind\r\n\(part)kind\r\n\r\nplain\r\n--x--",
            .multipart(boundary: Array("x".utf8)), ["kind"]
        ),
        (
            #"{"query": "{a(password: $p)}", "variables": {"p": "x"}, "extensions": {"p": "plain"}}"#, .json,
            ["p"]
        ),
        (
            #"{"query": "{a(password: $o, kind: $k)}", "variables": {"k": {"raw": "plain"}, "o": {"type": "plain"}}}"#,
            .json, ["raw", "type"]
        ),
        // Each query of a batch has its own.
        (
            """
            [{"query": "{a(password: $p)}", "variables": {"p": "x"}},
            {"variables": {"p": "plain"}, "query": "{b(color: $p)}"},
            {"query": "{c(color: $p)}", "variables": "{\\"p\\": \\"plain\\"}"}]
            """, .json, ["color", "color"]
        ),
        (
            #"{"doc": {"query": "{a(password: $p)}"}, "with": {"variables": {"i": {"p": "plain"}}}}"#, .json,
            ["password"]
        ),
    ]

    @Test(arguments: others.indices) func onlyVariablesAreNamedByArguments(index: Int) {
        let (text, kind, told) = Self.others[index]
        var names: [String] = []
        let walker = TextWalker { value in
            if value.text == "plain" { names.append(value.name) }
            return nil
        }
        #expect(walker.rewriting(Array(text.utf8), as: kind) == nil)
        #expect(names == told)
    }

    /// As browsers list them beside the address, or in its place; decoded or not.
    @Test(
        arguments: ["queryString", "params"],
        ["{a(password: $p)}", "{a(password%3A+%24p)}", "%257Ba%2528password%253A%2520%2524p%2529%257D"]
    )
    func variablesMayBeListed(list: String, query: String) {
        let entry: JSONValue = .object([
            list: [
                ["name": "query", "value": .string(query)],
                ["name": "variables", "value": #"{"p": "tr0ub4dor"}"#],
                ["name": "extensions", "value": #"{"p": "plain"}"#],
            ]
        ])
        let texts = TextWalker { $0.name == "password" ? Array("another".utf8) : nil }
        let other = EntryWalker(texts: texts, sweep: { _ in nil }).rewriting(entry)
        let values = other[list]?.array?.map { $0["value"]?.string }
        #expect(values == [query, #"{"p": "another"}"#, #"{"p": "plain"}"#])
    }

    private static let requests: [(query: String, type: String, body: String)] = [
        ("variables=\(variables)", "application/json", #"{"query": "{a(password: $p)}"}"#),
        ("variables=\(variables)", "application/json", #"[{"mutation": "{a(password: $p)}"}]"#),
        ("variables=\(variables)", "application/graphql", "{a(password: $p)}"),
        ("variables=\(variables)", "application/x-www-form-urlencoded", "query=\(query)"),
        ("query=\(query)", "application/json", #"{"variables": {"p": "tr0ub4dor"}}"#),
        ("query=\(query)", "application/json", #"{"variables": "{\"p\": \"tr0ub4dor\"}"}"#),
        ("query=\(query)", "application/x-www-form-urlencoded", "variables=\(variables)"),
    ]

    /// What has the name of a variable and is none stays.
    @Test(arguments: requests.indices) func queryMayStandInAnotherPartOfTheRequest(index: Int) {
        let (query, type, body) = Self.requests[index]
        let entry: JSONValue = [
            "request": [
                "url": .string("https://api.example/graphql?\(query)&p=plain"),
                "postData": ["mimeType": .string(type), "text": .string(body)],
            ]
        ]
        let texts = TextWalker { $0.name == "password" ? Array("another".utf8) : nil }
        let request = EntryWalker(texts: texts, sweep: { _ in nil }).rewriting(entry)["request"]
        let address = request?["url"]?.string ?? ""
        let sent = request?["postData"]?["text"]?.string ?? ""
        #expect(!address.contains("tr0ub4dor") && !sent.contains("tr0ub4dor"))
        #expect(address.contains("another") != sent.contains("another"))
        #expect(address.hasSuffix("&p=plain"))
    }
}
