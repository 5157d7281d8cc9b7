import Captures
import TestSupport
import Testing

struct ShellWordTests {
    static let words: [(word: String, quoted: String)] = [
        ("plain-1.0/x_y=z", "plain-1.0/x_y=z"), ("", "''"), ("a b", "'a b'"), ("it's", "'it'\\''s'"),
        ("$(reboot)", "'$(reboot)'"), ("~/x", "'~/x'"), ("=x", "'=x'"), ("é", "'é'"), ("*", "'*'"),
        ("a'\u{301};b", "'a'\\''\u{301};b'"), ("a\n'\u{301};b", "$'a\\x0a\\'\u{301};b'"),
        ("a\u{1b}[2Jb\n'\\", "$'a\\x1b[2Jb\\x0a\\'\\\\'"), ("\u{202e}x", "$'\\xe2\\x80\\xaex'"),
    ]

    @Test(arguments: words)
    func shellReadsTheWordBack(word: String, quoted: String) throws {
        #expect(ShellWord.quoted(word) == quoted)
        let result = try Program.run(["-c", "printf %s \(quoted)"], executable: "/bin/bash")
        #expect(result.output == word)
    }
}
