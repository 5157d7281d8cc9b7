import JSON
import Sharing
import Testing

/// Secrets whose bytes are written one by one, or by digits of their own.
struct ListedLeakTests {
    private static let secret = "q7Zr2LkX9vTb4WmN8cYp1HsJ"
    private static let scan = LeakScan(secrets: [Secret(.token, secret)], lawful: [], short: [:])

    private static let numbers = """
        113, 55, 90, 114, 50, 76, 107, 88, 57, 118, 84, 98, 52, 87, 109, 78, 56, 99, 89, 112, 49, 72, 115, 74
        """
    private static let lines = """
        begin 644 note.txt
        M=&AI<R!I<R!A('1E>'0@:6X@9G)O;G0@;V8@=&AE('1O:V5N(#$R,R!Q-UIR
        G,DQK6#EV5&(T5VU..&-9<#%(<TH@86YD(&UO<F4@8F5H:6YD(&ET
        `
        end
        """

    @Test(
        arguments: [
            ("key: 71:37:5a:72:32:4c:6b:58:39:76:54:62:34:57:6d:4e:38:63:59:70:31:48:73:4a", .hexadecimal),
            ("new Uint8Array([\(numbers)])", .decimal),
            ("<~EAq'A1/)Ic3HeA21fnNh3+H*10h?@X/c~>", .base85),
            ("\"EAq'A1/)Ic3HeA21fnNh3+H*10h?@X/c\"", .base85),
            ("a Yh`(HH(GKsOlw#<c2r_CS8Yx>V_9%9NOMXq", .base85),
            ("\"yH}^hh^gkSoLW-<C2R{cs8yX(v{9+9nomxQ\"", .base85), (lines, .uuencoded),
        ] as [(String, Leak.Encoding)]
    )
    func listedBytesAreRead(text: String, encoding: Leak.Encoding) {
        let leaks = Self.scan.leaks(in: [.string(text)])
        #expect(leaks.map(\.encodings) == [[encoding]])
        #expect(leaks.map(\.characters) == [Self.secret.count])
        // Inside of a string that holds JSON, and of an address.
        for spelling in [SecretSpelling.json, .percent] {
            #expect(Self.scan.leaks(in: [.string("\\n%20" + spelling.write(text))]).count == 1)
        }
    }

    @Test func theOffsetIsWhereTheFirstNumberStands() {
        #expect(Self.scan.leaks(in: [.string("[0, \(Self.numbers)]")]).map(\.offset) == [4])
    }

    @Test func numbersThatSayWhatStandsUnderANameAreNone() {
        let scan = LeakScan(secrets: [], lawful: [], short: [NamedValue("otp", "123456"): .oneTimeCode])
        // `otp=123456&x=y`
        let numbers = "[111, 116, 112, 61, 49, 50, 51, 52, 53, 54, 38, 120, 61, 121]"
        #expect(scan.leaks(in: [.string(numbers)]).isEmpty)
    }
}
