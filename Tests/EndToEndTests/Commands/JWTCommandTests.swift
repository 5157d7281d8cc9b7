import Foundation
import JSON
import TestSupport
import Testing

/// `authreel jwt` and `jwt verify`, as a user calls them.
struct JWTCommandTests {
    private let folder: TemporaryFolder
    private let token: String

    init() throws {
        folder = try TemporaryFolder()
        let vector = try Vectors.named("rfc7515-a.3")
        token = vector["token"]?.string ?? ""
        let keys: JSONValue = ["keys": [vector["key"] ?? .null]]
        try Data(JSONWriter.bytes(of: keys)).write(to: URL(filePath: folder.file("keys.json")))
    }

    private func run(_ arguments: String..., input: String = "") throws -> Program.Result {
        defer { folder.remove() }
        return try Program.run(["jwt"] + arguments, input: Array(input.utf8), in: folder.path)
    }

    @Test func everyCheckIsShownWithItsOutcome() throws {
        let result = try run(
            token,
            "--jwks",
            "keys.json",
            "--issuer",
            "joe",
            "--audience",
            "shop",
            "--at",
            "2011-03-01T00:00:00Z"
        )
        #expect(result.status == 1)
        #expect(result.output.contains("✓ signature"), "\(result.output)")
        #expect(result.output.contains("✗ aud        no aud; expected shop"), "\(result.output)")
        #expect(result.output.contains("✓ exp"), "\(result.output)")
        #expect(result.output.contains("2011-03-22T18:43:00Z"))
        #expect(result.output.contains("RFC 7519 §4.1.3"))
    }

    @Test func timesInMillisecondsAreSaidToBe() throws {
        let parts = [#"{"alg":"none"}"#, #"{"iat":1795755980456,"exp":1795755990}"#].map {
            Data($0.utf8).base64EncodedString().replacing("=", with: "")
        }
        let result = try run("\(parts[0]).\(parts[1]).", "--at", "2026-11-27T00:00:00Z")
        #expect(
            result.output.contains("iat: 1795755980456  looks like milliseconds, which would be 2026-11-27T"),
            "\(result.output)"
        )
        #expect(result.output.contains("exp: 1795755990  2026-11-27T"))
    }

    @Test func jsonHasTheSameChecks() throws {
        let result = try run(token, "--jwks", "keys.json", "--at", "2011-03-01T00:00:00Z", "--format", "json")
        #expect(result.status == 0, "\(result.errors)")
        let first = try JSONParser.parse(result.output.utf8)["tokens"]?.array?.first
        #expect(first?["signature"] == "valid" && first?["claims"]?["iss"] == "joe")
        #expect(
            first?["checks"]?.array?.contains { $0["name"] == "exp" && $0["outcome"] == "passed" } == true
        )
    }

    @Test func whatTheClientSecretOpensIsShownAndChecked() throws {
        let nested = try Vectors.named("jwe")["nested"]
        let arguments = [
            "jwt", nested?["token"]?.string ?? "", "--jwks", "keys.json", "--at", "2011-03-01T00:00:00Z",
        ]
        let environment = ["SHOP_SECRET": nested?["secret"]?.string ?? ""]
        defer { folder.remove() }
        let opened = try Program.run(
            arguments + ["--secret-env", "SHOP_SECRET"],
            environment: environment,
            in: folder.path
        )
        #expect(opened.status == 0, "\(opened.errors)")
        #expect(
            opened.output.hasPrefix("envelope  encrypted (JWE), opened\n  alg: \"dir\""),
            "\(opened.output)"
        )
        #expect(opened.output.contains("✓ signature"))
        let json = try Program.run(
            arguments + ["--secret-env", "SHOP_SECRET", "--format", "json"],
            environment: environment,
            in: folder.path
        )
        let token = try JSONParser.parse(json.output.utf8)["tokens"]?.array?.first
        #expect(token?["encryption"]?["enc"] == "A128CBC-HS256" && token?["claims"]?["iss"] == "joe")
        let closed = try Program.run(arguments, in: folder.path)
        #expect(closed.output.contains("encrypted (JWE)") && !closed.output.contains("joe"))
    }

    @Test(
        arguments: [
            ("e30", "✗ alg        the header has no alg"),
            ("eyJhbGciOiJSUzI1NiIsImFsZyI6IlJTMjU2In0", "✗ header     member alg occurs twice"),
            ("eyJhbGciOiJSUzI1NiIsImNyaXQiOlsiYjY0Il0sImI2NCI6ZmFsc2V9", "✗ crit       demands b64"),
        ]
    )
    func whatIsMarkedWrongMakesTheStatusNegative(header: String, line: String) throws {
        let result = try run("\(header).e30.c2ln")
        #expect(result.status == 1, "\(result.errors)")
        #expect(result.output.contains(line), "\(result.output)")
    }

    /// Five parts, and no JWE.
    @Test func twoTokensWithoutASpaceAreToldFromAnEncryptedOne() throws {
        let result = try run(token + token, "--jwks", "keys.json")
        #expect(result.status == 65 && result.output.isEmpty, "\(result.output)")
        #expect(result.errors.contains("error: no JWE: "), "\(result.errors)")
        #expect(result.errors.contains("two tokens run together"), "\(result.errors)")
    }

    @Test func tokensComeFromFilesAndStandardInput() throws {
        let result = try run("-", "--at", "2011-03-01T00:00:00Z", input: "  \(token)\n\(token)\n")
        #expect(result.status == 0)
        #expect(result.output.components(separatedBy: "claims").count == 3)
    }

    @Test func verifyPrintsALineForEach() throws {
        let input = "\(token)\r\n\n\(token.dropLast())A\nnonsense\n"
        let result = try run(
            "verify",
            "--jwks",
            "keys.json",
            "--at",
            "2011-03-01T00:00:00Z",
            "-",
            input: input
        )
        #expect(result.status == 1)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0] == "valid")
        #expect(lines[1].hasPrefix("invalid: signature: "), "\(lines)")
        #expect(lines[2] == "invalid: not a token of three parts")
    }

    @Test(
        arguments: [
            ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln", "hint: --jwks FILE verifies"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln", "hint: --secret-env VARIABLE verifies"),
            ("eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UifQ.", nil),
        ] as [(String, String?)]
    )
    func whatVerifiesTheSignatureIsNamed(token: String, hint: String?) throws {
        let result = try run(token)
        let told = result.errors.contains(hint ?? "hint:")
        #expect(told == (hint != nil), "\(result.errors)")
    }

    /// A key set is of no use for a token that is signed with the client's secret.
    @Test func secretIsAskedForBesideAKeySet() throws {
        let result = try run("eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln", "--jwks", "keys.json")
        #expect(result.errors.contains("hint: --secret-env VARIABLE verifies"), "\(result.errors)")
    }

    /// A list of checks that hold, with none of the signature, reads as if it were good.
    @Test(arguments: [
        ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln", true),
        ("eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln", true),
        ("eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UifQ.", false),
    ])
    func signatureThatNobodyVerifiedIsAmongTheChecks(token: String, isOpen: Bool) throws {
        defer { folder.remove() }
        let text = try Program.run(["jwt", token], in: folder.path)
        #expect(text.output.contains("– signature  not verified") == isOpen, "\(text.output)")
        let json = try Program.run(["jwt", token, "--format", "json"], in: folder.path)
        let checks = try JSONParser.parse(json.output.utf8)["tokens"]?.array?.first?["checks"]?.array ?? []
        let signature = checks.first { $0["name"] == "signature" }
        #expect(signature?["outcome"] == (isOpen ? "skipped" : nil), "\(json.output)")
    }

    @Test func verifyTakesTheClientSecret() throws {
        defer { folder.remove() }
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.035KMNxVDdRxZ6Z9B8OaAIafETI-aWyFbzy-NPQFmhs"
        try Data("\(token)\n".utf8).write(to: URL(filePath: folder.file("tokens.txt")))
        func verified(_ secret: String) throws -> Program.Result {
            try Program.run(
                ["jwt", "verify", "--secret-env", "SHOP_SECRET", "tokens.txt"],
                environment: ["SHOP_SECRET": secret],
                in: folder.path
            )
        }
        let good = try verified("made-up-secret-of-the-shop")
        #expect(good.status == 0 && good.output == "valid\n", "\(good.output)\(good.errors)")
        #expect(
            try verified("another").output.hasPrefix("invalid: signature: not made with the known secret")
        )
        let empty = try verified("")
        #expect(empty.status == 64 && empty.errors.contains("SHOP_SECRET is not set"), "\(empty.errors)")
    }

    /// Out of a header field, of a line of JSON, of a shell's variable.
    @Test(arguments: [
        "Bearer T", "Authorization: DPoP T", "\"T\",", "'T'", " T\n", "  \"id_token\": \"T\",", "id_token: T",
        "{\"access_token\":\"aB3.c\",\"id_token\":\"T\",\"expires_in\":60}",
        "{\n  \"data\": [{\"token\": \"Bearer T\"}]\n}", "https://app.example/cb#state=x.y&id_token=T&n=1",
        "id_token=T&state=x",
    ])
    func tokenIsTakenAsItIsCopied(form: String) throws {
        let text = form.replacingOccurrences(of: "T", with: "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln")
        for result in [try run(text), try Program.run(["jwt", "-"], input: Array(text.utf8))] {
            #expect(result.status == 0 && result.output.contains("iss: \"joe\""), "\(result.errors)")
        }
    }

    /// A header field as it is copied, without quotes around it.
    @Test(arguments: [["Bearer"], ["Authorization:", "Bearer"], ["dpop"]])
    func labelsBeforeATokenAreNoTokens(labels: [String]) throws {
        defer { folder.remove() }
        let result = try Program.run(["jwt"] + labels + ["eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln"])
        #expect(result.status == 0 && result.output.contains("iss: \"joe\""), "\(result.errors)")
    }

    @Test(
        arguments: [
            (["nonsense.x.y"], 65, "hint: its first part, the header, is no JSON object"),
            (["eyJhbGciOiJub25lIn0"], 65, "hint: it has one part, and a token three (signed)"),
            (["eyJhbGciOiJub25lIn0.e30"], 65, "hint: it has 2 parts, and a token three (signed)"),
            (["eyJhbGciOi…"], 65, "hint: no token has \"…\" in it: was all of it copied?"),
            (["words.txt"], 65, "hint: a token has three parts"), (["missing.txt"], 66, "no such file"),
            (["missing.txt"], 66, "hint: a token has three parts"), (["."], 66, ".: is a folder"),
            (["-", "--jwks", "missing.json"], 66, "missing.json: no such file"),
            (
                ["a.b.c", "--jwks", "https://idp.example/jwks?a&b"], 66,
                "curl -o keys.json 'https://idp.example/jwks?a&b'"
            ),
            (["a.b.c", "--at", "tomorrow"], 64, "tomorrow is no time"),
            (["-"], 65, "no token in standard input"), (["empty.txt"], 65, "no token in empty.txt"),
            (["verify", "--jwks", "keys.json", "empty.txt"], 65, "no token in empty.txt"),
            (["words.txt"], 65, "words.txt: no token: \"hello\""),
            (["bytes.har"], 65, "no token in bytes.har: it is binary data"),
            // As PowerShell's > writes it.
            (["wide.txt"], 65, "wide.txt: no token: \"hi\""),
            (["verify", "-"], 64, "--jwks is missing"),
            (
                ["verify", "--jwks", "keys.json", "eyJhbGciOiJub25lIn0.e30."], 64,
                "jwt --jwks keys.json eyJhbGciOiJub25lIn0.e30."
            ),
            (["eyJhbGciOiJub25lIn0.e30.", "--jwks", "key.pem"], 65, "key.pem is PEM, and a key set is JSON"),
            (["login.har"], 65, "view login.har shows those of a capture"),
            (["torn.har"], 65, "no token in torn.har: it is a capture"),
            (["torn.har"], 65, "view torn.har shows those of a capture"),
            (["verify", "--jwks", "keys.json", "torn.har"], 65, "view torn.har shows those of a capture"),
            (["verify", "--jwks", "keys.json", "marked.har"], 65, "no token in marked.har: it is a capture"),
            (["https://app.example/cb?code=x"], 66, "no such file, and no token"),
            // A scheme alone, a file that is named like one, a variable that is not set.
            (["Bearer"], 66, "Bearer: no such file, and no token"), ([""], 66, "the token is empty"),
            (
                ["verify", "--jwks", "keys.json", "nowhere.tokens"], 66,
                "hint: verify takes a file of one token a line"
            ),
            (["a.b.c", "--jwks", "nowhere.jwks"], 66, "hint: --jwks takes a key set"),
            (["--jwks", "-", "-"], 64, "--jwks and the tokens cannot both be standard input"),
            (["verify", "--jwks", "-", "-"], 64, "--jwks and the tokens cannot both be standard input"),
            (["a.b.c", "--leeway", "-5"], 64, "--leeway takes seconds from 0 on, not -5"),
            (["a.b.c", "--secret-env", ""], 64, "--secret-env takes the name of an environment variable"),
            (["verifi", "tokens.txt"], 66, "did you mean jwt verify?"),
            (["Bearer", "missing.txt"], 66, "missing.txt: no such file, and no token"),
            (["a.b.c", "--secret-env", "AUTHREEL_NOT_SET"], 64, "AUTHREEL_NOT_SET is not set"),
            (["verify", "--secret-env", "AUTHREEL_NOT_SET", "words.txt"], 64, "AUTHREEL_NOT_SET is not set"),
            (
                ["verify", "--secret-env", "AUTHREEL_SECRET", "eyJhbGciOiJub25lIn0.e30."], 64,
                "jwt --secret-env AUTHREEL_SECRET eyJhbGciOiJub25lIn0.e30."
            ),
        ] as [([String], Int32, String)]
    )
    func errorsSayWhatIsWrong(arguments: [String], status: Int32, message: String) throws {
        defer { folder.remove() }
        try Data("\n \n".utf8).write(to: URL(filePath: folder.file("empty.txt")))
        try Data("eyJhbGciOiJub25lIn0.e30.\nhello\n".utf8).write(to: URL(filePath: folder.file("words.txt")))
        try Data([0x1f, 0x8b, 0x08, 0x00, 0x41]).write(to: URL(filePath: folder.file("bytes.har")))
        try Data([0xff, 0xfe, 0x68, 0, 0x69, 0, 0x0d, 0, 0x0a, 0])
            .write(to: URL(filePath: folder.file("wide.txt")))
        try Data("{\"keys\":[]}".utf8).write(to: URL(filePath: folder.file("keys.json")))
        try Data("-----BEGIN PUBLIC KEY-----\n".utf8).write(to: URL(filePath: folder.file("key.pem")))
        try Data("{\"log\":{\"entries\":[]}}".utf8).write(to: URL(filePath: folder.file("login.har")))
        try Data(Fixtures.bytes("captures/healthy/web-code-flow.har").prefix(3000))
            .write(to: URL(filePath: folder.file("torn.har")))
        try Data([0xef, 0xbb, 0xbf] + Fixtures.bytes("captures/healthy/web-code-flow.har"))
            .write(to: URL(filePath: folder.file("marked.har")))
        let result = try Program.run(["jwt"] + arguments, in: folder.path)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}
