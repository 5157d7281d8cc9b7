import Testing

@testable import Sharing

/// What a variable of a query holds is told by the argument that it is given to.
struct GraphQLVariablesTests {
    private static let rows: [(query: String, variables: String, told: [String])] = [
        (
            #"mutation L($m: String!, $p: String!) {\n  login(email: $m, password : $p) { token }\n}"#,
            #"{"m": "ada@mail.example", "p": "tr0ub4dor"}"#, ["email=ada@mail.example", "password=tr0ub4dor"]
        ),
        (#"{a(\nsecret:$s)}"#, #"{"s": "x"}"#, ["secret=x"]),
        (#"{a(password:\n\t$id)}"#, #"{"id": "tr0ub4dor"}"#, ["password=tr0ub4dor"]),
        // A name of its own says more; one that says nothing has nothing to give.
        ("{a(id: $userName, kind: $k)}", #"{"userName": "ada", "k": "x"}"#, ["userName=ada", "kind=x"]),
        (#"{a(: $p, \\: $p, $p: $q, $)}"#, #"{"p": "x"}"#, ["p=x"]), ("plain", #"{"p": "x"}"#, ["p=x"]),
    ]

    @Test(arguments: rows.indices) func variableIsNamedByItsArgument(row: Int) {
        let (query, variables, told) = Self.rows[row]
        let text = Array(#"{"query": "\#(query)", "variables": \#(variables)}"#.utf8)
        let slots = ScriptSlots.slots(in: text[...]).filter { $0.name != "query" }
        #expect(slots.map { "\($0.name)=\(String(decoding: text[$0.range], as: UTF8.self))" } == told)
    }
}
