import Captures
import Testing

struct MultipartFormTests {
    private func items(_ text: String, _ type: String = "multipart/form-data; boundary=b1") -> [String]? {
        MultipartForm.items(of: Body(text: text, mediaType: type))?.items.map { "\($0.name)=\($0.value)" }
    }

    private let text = """
        --b1\r
        Content-Disposition: form-data; name="grant_type"\r
        \r
        authorization_code\r
        --b1\r
        Content-Disposition: form-data; filename="a.txt"; name=code\r
        Content-Type: text/plain\r
        \r
        a b\r
        c\r
        --b1--\r

        """

    @Test func readsTheFieldsInOrder() {
        #expect(items(text) == ["grant_type=authorization_code", "code=a b\r\nc"])
        #expect(items(text, "multipart/form-data; charset=utf-8; boundary=\"b1\"")?.count == 2)
        #expect(items(text, "multipart/form-data;boundary=b1; charset=utf-8")?.count == 2)
        #expect(items(text.replacing("; name=code", with: ";\tname=code"))?.last == "code=a b\r\nc")
    }

    @Test func fieldsGetOtherValues() {
        let type = "multipart/form-data; boundary=b1"
        let body = MultipartForm.body(Body(text: text, mediaType: type)) { $0 == "code" ? "another" : $1 }
        #expect(body?.text == text.replacing("a b\r\nc", with: "another"))
        #expect(body?.mediaType == type)
        #expect(MultipartForm.body(Body(text: "code=a", mediaType: "text/plain")) { $1 } == nil)
    }

    @Test func fieldThatIsNoTextKeepsItsBytes() {
        let head = Array("--b1\r\nContent-Disposition: form-data; name=picture\r\n\r\n".utf8)
        let bytes = head + [0x89, 0xff, 0xfe] + Array("\r\n--b1--\r\n".utf8)
        let body = Body(
            content: .bytes(bytes),
            mediaType: "multipart/form-data; boundary=b1",
            size: bytes.count
        )
        #expect(MultipartForm.body(body) { _, _ in "" }?.bytes == bytes)
    }

    @Test func boundaryIsThatOfItsOwnParameter() {
        #expect(
            MultipartForm.boundary(of: "multipart/form-data; x-boundary=no; Boundary=\"b 1;\"")
                == Array("b 1;".utf8)
        )
        #expect(MultipartForm.boundary(of: "multipart/form-data; xboundary=no") == nil)
    }

    @Test func readsUpToWhereItIsCut() {
        #expect(items(String(text.prefix(120))) == ["grant_type=authorization_code"])
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=other",
        "application/x-www-form-urlencoded",
    ]) func leavesOtherBodiesAlone(type: String) {
        #expect(items(text, type) == nil)
    }

    @Test func survivesEveryCut() {
        let bytes = Array(text.utf8)
        for count in bytes.indices {
            _ = items(String(decoding: bytes[..<count], as: UTF8.self))
        }
    }

    @Test func aFormUnderAnotherNameIsStillOne() {
        let body = Body(text: "grant_type=password&a=1", mediaType: "application/json")
        #expect(FormBody.items(of: body) == nil)
        #expect(FormBody.misnamedItems(of: body)?.first("grant_type") == "password")
        #expect(
            FormBody.misnamedItems(of: Body(text: "{\"a\":\"b=c\"}", mediaType: "application/json")) == nil
        )
    }
}
