import Sharing
import Testing

@testable import authreel

/// Passphrases as a person types them, with one that is made up.
struct PassphrasePromptTests {
    /// Gives one answer after the other, and keeps the questions.
    private final class Person {
        var answers: [String?]
        var questions: [String] = []

        init(_ answers: String?...) { self.answers = answers }

        var prompt: PassphrasePrompt {
            PassphrasePrompt { question in
                self.questions.append(question)
                return self.answers.removeFirst()
            }
        }
    }

    @Test func newPassphraseIsAskedForTwice() throws {
        let person = Person("correct horse", "correct horse")
        #expect(try person.prompt.newPassphrase() == "correct horse")
        #expect(person.questions.count == 2 && person.answers.isEmpty)
    }

    @Test func newPassphraseThatIsMistypedIsRefused() throws {
        // The last two look the same, and are other bytes.
        for (first, second) in [("correct horse", "correct hrose"), ("a", ""), ("\u{e9}", "e\u{301}")] {
            let person = Person(first, second)
            let failure = try #require(throws: CommandFailure.self) { try person.prompt.newPassphrase() }
            #expect(failure.status == .usage && failure.message.contains("not the same"))
            #expect(!failure.message.contains(first) || first == "a")
        }
    }

    @Test func emptyPassphraseIsNotAskedForAgain() throws {
        let person = Person("")
        let failure = try #require(throws: CommandFailure.self) { try person.prompt.newPassphrase() }
        #expect(failure.status == .usage && failure.message == "no passphrase was given")
        #expect(person.questions.count == 1)
    }

    @Test func passphraseOfAFileIsAskedForOnceAndNamesTheFile() throws {
        let person = Person("correct horse")
        #expect(try person.prompt.passphrase(of: "login.har.age") == "correct horse")
        #expect(person.questions == ["Passphrase of login.har.age: "])
        let silent = Person("")
        let failure = try #require(throws: CommandFailure.self) {
            try silent.prompt.passphrase(of: "login.har.age")
        }
        #expect(failure.message == "login.har.age: no passphrase was given")
    }

    @Test func withoutATerminalTheHintSaysWhatNeedsNone() throws {
        let nobody = PassphrasePrompt { _ in nil }
        let reading = try #require(throws: CommandFailure.self) { try nobody.passphrase(of: "login.har.age") }
        #expect(reading.status == .usage && reading.hint?.contains("--identity FILE") == true)
        let writing = try #require(throws: CommandFailure.self) { try nobody.newPassphrase() }
        #expect(writing.status == .usage && writing.hint?.contains("--encrypt-to age1…") == true)
    }
}
