import Captures
import JOSE
import OAuth
import Testing

struct ClientAuthenticationTests {
    private func authentication(_ header: String?, _ form: [(String, String)] = []) -> ClientAuthentication {
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://idp.example/token"),
            headers: HeaderFields(header.map { [("Authorization", $0)] } ?? []),
            body: Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        )
        return ClientAuthentication(
            of: request,
            exchange: 3,
            parameters: Parameters(QueryItems(FormBody.encode(form)), of: 3, in: .requestBody)
        )
    }

    /// RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
    @Test func basicCredentialsAreFormDecoded() {
        let found = authentication("basic " + Base64.encode(Array("my+client:a%3Ab%2Bc".utf8)))
        #expect(found.methods == [.secretBasic])
        #expect(found.clientID?.value == "my client")
        #expect(
            found.secret?.value == "a:b+c" && found.secret?.rawValue == "a%3Ab%2Bc"
                && found.undecodedSecret == "a%3Ab%2Bc"
        )
        #expect(found.secret?.place == Place(exchange: 3, part: .requestHeader, name: "Authorization"))
    }

    @Test func secretWithColonsIsWhole() {
        #expect(authentication("Basic " + Base64.encode(Array("a:b:c".utf8))).secret?.value == "b:c")
    }

    @Test(arguments: ["Basic ", "Basic !!!", "Basic YQ==", "Bearer abc", "Basic"])
    func headerWithoutCredentialsIsNoCrash(header: String) {
        #expect(authentication(header).secret == nil)
    }

    @Test func twoWaysAtOnceAreBothNamed() {
        let found = authentication(
            "Basic " + Base64.encode(Array("a:b".utf8)),
            [("client_id", "a"), ("client_secret", "b")]
        )
        #expect(found.methods == [.secretBasic, .secretPost])
    }

    @Test func publicClientHasNone() {
        #expect(authentication(nil, [("client_id", "app")]).methods == [.none])
        #expect(authentication(nil, [("client_id", "app"), ("client_secret", "")]).methods == [.none])
        let empty = authentication(nil, [("client_id", "app"), ("client_assertion", "")])
        #expect(empty.methods == [.none] && empty.assertion == nil)
        #expect(authentication(nil, [("client_id", "")]).clientID == nil)
    }

    @Test func assertionNamesTheClientByItsSubject() {
        let header = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))
        let claims = Base64URL.encode(Array(#"{"sub":"shop"}"#.utf8))
        let found = authentication(nil, [("client_assertion", "\(header).\(claims).c2ln")])
        #expect(found.methods == [.assertion] && found.clientID?.value == "shop")
    }
}
