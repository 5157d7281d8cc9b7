import Testing

@testable import Captures

struct BodyTests {
    @Test(arguments: [
        ("text/html", "text/html"), ("Text/HTML", "text/html"), ("text/html\t; charset=utf-8", "text/html"),
        (" text/html;a=b", "text/html"),
    ]) func essenceIsTheTypeAlone(type: String, essence: String) {
        #expect(Body(text: "", mediaType: type).essence == essence)
    }

    /// A byte order mark stands before many that editors of Windows have saved.
    @Test(
        arguments: [
            ("<!DOCTYPE html>", nil, true), ("\u{feff}\r\n<HTML>", nil, true),
            ("<html>", "text/plain", false),
            ("{}", nil, false), ("{}", "text/html", true),
        ] as [(String, String?, Bool)]
    ) func pageIsKnownByItsTypeOrBeginning(text: String, type: String?, isPage: Bool) {
        #expect(Body(text: text, mediaType: type).isPage == isPage)
    }

    // MARK: - Forms

    @Test(arguments: ["a=1&code=b", "a=1&code=b\n", "a=1&code=b\r\n"])
    func lineEndBehindAFormIsOfNoValue(text: String) {
        #expect(FormBody.items(of: Body(text: text, mediaType: FormBody.mediaType))?.first("code") == "b")
    }

    private static let longName = String(repeating: "a", count: 256)

    /// A name stands before the first equals sign.
    @Test(arguments: [("a=b", true), ("=b", false), ("a b=c", false), (longName + "=b", false)])
    func formUnderAnotherTypeBeginsWithAName(text: String, isForm: Bool) {
        #expect(
            (FormBody.misnamedItems(of: Body(text: text, mediaType: "application/json")) != nil) == isForm
        )
    }

    /// Parameters are as they went over the wire where one of them says so, and none says the contrary.
    @Test(arguments: [("x", true), ("a b", false), ("a/b", false), ("a:b", false), ("\u{e9}", false)])
    func parametersAreEncodedOrNot(other: String, areEncoded: Bool) {
        #expect(FormBody.areEncoded(["https%3A%2F%2Fa.example", other]) == areEncoded)
    }
}
