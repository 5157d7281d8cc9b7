import Captures

/// Passwords that commands are given, and whom they sign in: `mysql -u app -pZk9!wq`, `sshpass -p Zk9!wq`,
/// `curl --user=ada:Zk9!wq`, `htpasswd -b users ada Zk9!wq`, `docker login -u ada`, `ssh ada@db7`, `$ kinit ada`.
enum CommandSlots {
    /// `words`: of the text, in order.
    static func slots(_ words: [ArraySlice<UInt8>], in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var command: Command?
        func end() {
            slots += command?.lastArgument ?? []
            command = nil
        }
        for (place, word) in words.enumerated() {
            if command != nil, endsLine(words[place - 1], before: word, in: text) { end() }
            if let program = program(SentenceSlots.bare(word)) {
                end()
                command = Command(program: program, isTyped: isTyped(word, in: text))
            } else if command == nil {
                continue
            } else if isEnd(word) {
                end()
            } else {
                slots +=
                    command?.slots(of: word, next: place + 1 < words.count ? words[place + 1] : nil) ?? []
                if word.last == 0x3b { end() }
            }
        }
        end()
        return slots
    }

    /// Whether a command stands behind the prompt of a shell, `$ kinit ada`, where no sentence begins.
    private static func isTyped(_ word: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> Bool {
        let before = text[..<word.startIndex].suffix(2)
        return before.count == 2 && [0x23, 0x24, 0x25, 0x3e].contains(before[before.startIndex])
            && before.last == 0x20
    }

    /// `|`, `&&`, `>`, `#`: what follows is no argument.
    private static func isEnd(_ word: ArraySlice<UInt8>) -> Bool {
        word.allSatisfy { [0x23, 0x26, 0x3b, 0x3e, 0x7c].contains($0) }
    }

    /// Whether a command ends behind a word, with its line.
    private static func endsLine(
        _ word: ArraySlice<UInt8>,
        before next: ArraySlice<UInt8>,
        in text: ArraySlice<UInt8>
    ) -> Bool {
        word.last != 0x5c && text[word.endIndex..<next.startIndex].contains(0x0a)
    }

    /// The program that a word names, behind the folders that it stands in.
    private static func program(_ word: ArraySlice<UInt8>) -> Program? {
        let name = word.lastIndex(of: 0x2f).map { word[($0 + 1)...] } ?? word
        return shapes.match(name) ? programs[SlotReader.string(name)] : nil
    }

    private static let shapes = WordShapes(programs.keys)

    /// A command that is being read.
    private struct Command {
        let program: Program
        private let isTyped: Bool
        /// It is told to do what takes a password.
        private var isDue: Bool
        /// The last word that is no option, and how many there are.
        private var last: ArraySlice<UInt8>?
        private var count = 0
        /// A file, a user and a password; more of them are a sentence: `the net use of …`.
        private static let mostArguments = 3

        /// `isTyped`: it stands behind the prompt of a shell.
        init(program: Program, isTyped: Bool) {
            self.program = program
            self.isTyped = isTyped
            isDue = program.tasks.isEmpty
        }

        mutating func slots(of word: ArraySlice<UInt8>, next: ArraySlice<UInt8>?) -> [Slot] {
            let plain = SentenceSlots.bare(word)
            guard isDue else {
                isDue = program.tasks.contains { plain.elementsEqual($0.utf8) }
                return []
            }
            let slots = program.slots(of: word, next: next)
            if slots.isEmpty, !isOption(word) {
                if last == nil, let pair = program.account(plain) { return pair }
                if let user = program.user(atHost: plain) { return user }
                last = plain
                count += 1
            }
            return slots
        }

        /// A path of Windows, a drive and a switch are no word either.
        private func isOption(_ word: ArraySlice<UInt8>) -> Bool {
            word.last == 0x3a || word.first.map { [0x2a, 0x2d, 0x2f, 0x5c].contains($0) } ?? true
        }

        /// The password that stands last, or who signs in.
        var lastArgument: [Slot] {
            if program.takesPrincipal, let last, count <= Self.mostArguments {
                let name = last.prefix { $0 != 0x40 }
                // `kinit failed` of a sentence.
                let isTold = isTyped || name.count < last.count || name.contains(where: \.isASCIIDigit)
                return isTold ? Program.user(name) : []
            }
            guard program.takesLast, let last, count <= Self.mostArguments, SignInCall.mayBeSecret(last)
            else { return [] }
            return Program.slot("password", last)
        }
    }

    /// How a program takes a password.
    private struct Program {
        /// Of what it can do that for which it takes one; empty where it always does.
        var tasks: [String] = []
        /// Options behind which one stands, as a word of its own.
        var apart: [String] = []
        /// Right behind which one stands, without a space.
        var glued: [String] = []
        /// The same of a user and a password, and what stands between the two.
        var gluedPairs: [String] = []
        var apartPairs: [String] = []
        var between: UInt8 = 0x3a
        /// The first word that is no option is a user and a password, and where to: `ada/Zk9!wq@db`.
        var takesAccount = false
        /// The last word that is no option is one.
        var takesLast = false
        /// Options behind which it stands who signs in.
        var users: [String] = []
        /// A word that is no option is who signs in, and where: `ada@db7`.
        var takesUser = false
        /// The last word that is no option is who signs in, with a realm or without.
        var takesPrincipal = false

        func slots(of word: ArraySlice<UInt8>, next: ArraySlice<UInt8>?) -> [Slot] {
            if let next, apart.contains(where: { word.elementsEqual($0.utf8) }) {
                // A port is none.
                return next.contains(where: \.isASCIILetter)
                    ? Self.slot("password", SentenceSlots.bare(next)) : []
            }
            if let next, apartPairs.contains(where: { word.elementsEqual($0.utf8) }) {
                return pair(SentenceSlots.bare(next))
            }
            if let next, users.contains(where: { word.elementsEqual($0.utf8) }) {
                return Self.user(SentenceSlots.bare(next))
            }
            if let value = rest(of: word, glued) { return Self.slot("password", value) }
            return rest(of: word, gluedPairs).map(pair) ?? []
        }

        /// `ada/Zk9!wq@db`; nil for other words.
        func account(_ word: ArraySlice<UInt8>) -> [Slot]? {
            guard takesAccount, word.contains(0x2f) else { return nil }
            return pair(word[..<(word.lastIndex(of: 0x40) ?? word.endIndex)])
        }

        /// Who signs in at a host, `ada@db7`, `ada@db7:/srv/x`; nil for other words.
        func user(atHost word: ArraySlice<UInt8>) -> [Slot]? {
            guard takesUser, let at = word.firstIndex(of: 0x40), at + 1 < word.endIndex else { return nil }
            return Self.user(word[..<at])
        }

        /// None where it is an account of every computer, a variable or a word for it, as manuals have it.
        static func user(_ name: ArraySlice<UInt8>) -> [Slot] {
            let text = SlotReader.string(name)
            guard PairSlots.isAccount(name), !name.contains(0x40), name.contains(where: { $0 & 0x20 != 0 }),
                name.contains(where: \.isASCIILetter), name.first.map({ $0 != 0x2d }) ?? false,
                !HomeFolders.isNobodys(text), !AccountNames.isWord(text), !PersonNames.isCommon(text),
                !ofRegistries.contains(text)
            else { return [] }
            return slot("username", name)
        }

        /// What registries of images call everybody who has a token.
        private static let ofRegistries: Set<String> = [
            "oauth2accesstoken", "oauth2", "_json_key", "_json_key_base64", "x-access-token",
        ]

        private func pair(_ word: ArraySlice<UInt8>) -> [Slot] {
            guard let mark = word.firstIndex(of: between) else { return [] }
            return Self.slot("username", word[..<mark]) + Self.slot("password", word[(mark + 1)...])
        }

        private func rest(of word: ArraySlice<UInt8>, _ options: [String]) -> ArraySlice<UInt8>? {
            options.first { word.starts(with: $0.utf8) }.map {
                SentenceSlots.bare(word.dropFirst($0.utf8.count))
            }
        }

        static func slot(_ name: String, _ value: ArraySlice<UInt8>) -> [Slot] {
            value.count < 4 && name == "password" || value.isEmpty || value.first == 0x2d
                || value.first == 0x24
                ? [] : [Slot(name: name, range: value.startIndex..<value.endIndex)]
        }
    }

    private static let programs: [String: Program] = WordTable.byWord([
        (
            Program(glued: ["-p"]),
            "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mariadb mariadb-dump mariadb-admin 7z 7za"
        ),
        (Program(apart: ["-p"], glued: ["-p"]), "sshpass"),
        // `docker run -p localhost:8080:80` is a port.
        (
            Program(tasks: ["login"], apart: ["-p"], users: ["-u", "--username"]),
            "docker podman nerdctl helm oras skopeo az oc cf"
        ),
        (Program(apart: ["-p"]), "mongo mongosh mongodump mongorestore rdesktop"),
        (Program(apart: ["-P"], glued: ["-P"]), "sqlcmd bcp zip unzip ipmitool"),
        (Program(apart: ["-pw"]), "plink pscp psftp"),
        (Program(apart: ["-a", "--pass"]), "redis-cli valkey-cli"),
        (Program(apart: ["-w"]), "ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd"),
        (
            Program(apart: ["-storepass", "-keypass", "-srcstorepass", "-deststorepass"]),
            "keytool jarsigner"
        ),
        (Program(gluedPairs: ["-u", "--user=", "--proxy-user="], users: ["-u", "--user"]), "curl"),
        (Program(users: ["-l"], takesUser: true), "ssh scp sftp ssh-copy-id mosh rsync"),
        (Program(takesPrincipal: true), "kinit"),
        (Program(apartPairs: ["-a", "--auth"]), "http https"),
        (Program(glued: ["/p:"]), "xfreerdp wfreerdp mstsc"),
        (Program(apartPairs: ["-U"], between: 0x25), "smbclient rpcclient"),
        (Program(between: 0x2f, takesAccount: true), "sqlplus expdp impdp sqlldr"),
        (
            Program(tasks: ["target", "TARGET", "catalog", "CATALOG"], between: 0x2f, takesAccount: true),
            "rman"
        ),
        (Program(tasks: ["use", "user"], takesLast: true), "net net.exe"),
        (
            Program(tasks: ["-b", "-nb", "-bn", "-bB", "-Bb", "-nbB", "-bc", "-cb"], takesLast: true),
            "htpasswd"
        ),
    ])
}
