@testable import Sharing
import Testing

struct WordBeginningsTests {
    private let beginnings = WordBeginnings(["password", "pwd", "пароль"])

    @Test(arguments: ["password", "newpassword1", "pwd", "mypwd", "пароль", "x-пароль-2"])
    func textWithOneOfTheWordsMayHaveIt(text: String) {
        #expect(beginnings.mayStand(in: text))
        #expect(beginnings.mayStand(in: Array(text.utf8)))
    }

    @Test(arguments: ["", "p", "pw", "username", "p_w_d", "id"])
    func textWithoutTheirBeginningsHasNone(text: String) {
        #expect(!beginnings.mayStand(in: text))
        #expect(!beginnings.mayStand(in: Array(text.utf8)))
    }
}
