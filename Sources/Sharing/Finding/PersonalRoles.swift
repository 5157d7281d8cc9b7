import Captures

/// The names under which stands what says who somebody is, in claims, forms, headers and the documents of many makes.
///
/// Keys are as ``SecretRoles/normalized(_:)`` has them: small letters, no marks.
enum PersonalRoles {
    /// What stands under a name; nil where the name says nothing of a person.
    ///
    /// `isAboutPeople`: in a place where people's data are expected short words are such names, too.
    static func kind(of key: String, isAboutPeople: Bool) -> Secret.Kind? {
        if let kind = kinds[key] { return kind }
        if isAboutPeople, ofPersons.contains(key) || choices.contains(key) { return .personal }
        if let kind = callback(key) { return kind }
        if isPhone(key) { return .phone }
        if namesSignedIn(key) || isNameInLanguage(key) { return .personal }
        for prefix in prefixes where key.hasPrefix(prefix) && key.utf8.count > prefix.utf8.count {
            let rest = String(key.dropFirst(prefix.count))
            if let kind = kinds[rest] { return kind }
            if ofPersons.contains(rest) || choices.contains(rest) { return .personal }
        }
        return nil
    }

    /// Whether it is one of the names, and no name that only ends or begins like one.
    static func isWord(_ key: String) -> Bool { kinds[key] != nil || ofPersons.contains(key) }

    /// Whether it is what somebody's account is called, which may be any word.
    static func namesAccount(_ key: String) -> Bool { accounts.contains(key) }

    private static let accounts = words(
        "login account identifier preferredusername username loginid loginname user userid"
    )

    /// Whether it is what somebody, or somebody's account, is called.
    static func namesSomebody(_ key: String) -> Bool {
        if names.contains(key) || namesSignedIn(key) || isNameInLanguage(key) { return true }
        return prefixes.contains { key.hasPrefix($0) && names.contains(String(key.dropFirst($0.count))) }
    }

    /// `fullnameEN`, `firstnameAR`: a name in one script and in another (UAE PASS).
    private static func isNameInLanguage(_ key: String) -> Bool {
        guard key.hasSuffix("nameen") || key.hasSuffix("namear") else { return false }
        return names.contains(String(key.dropLast(2)))
    }

    /// Whether it is one of the things that somebody can be: a register has a code and a word for each.
    static func isChoice(_ key: String) -> Bool { choices.contains(key) }

    /// `IDToken1`, `IDToken3answer`: the fields of a tree's callbacks in ForgeRock AM.
    private static func callback(_ key: String) -> Secret.Kind? {
        guard key.hasPrefix("idtoken"), let digit = key.dropFirst(7).first, digit.isNumber else { return nil }
        if key.hasSuffix("question") { return nil }
        return key.hasSuffix("answer") ? .password : .personal
    }

    /// `X-OpenAM-Username`, `iv-user`: what proxies and access managers call who is signed in.
    private static func namesSignedIn(_ key: String) -> Bool {
        [
            "username", "firstname", "lastname", "fullname", "givenname", "surname", "samaccountname",
            "userdisplayname", "userloginid",
        ].contains(where: key.hasSuffix)
            || signedIn.contains(key)
    }

    private static let signedIn = words(
        "ivuser smuser httpsmuser xvouchuser xproxyuser xwebauthuser webauthuser xoktauser xuser xauthuser juser loginfmt xinternaluser xoriginaluser"
    )

    private static func isPhone(_ key: String) -> Bool {
        ["phone", "telefon", "mobilenumber", "msisdn"].contains { key.containsBytes($0) }
            && ![
                "verified", "supported", "type", "country", "enabled", "required", "code", "prefix", "label",
            ]
            .contains { key.hasSuffix($0) }
    }

    /// What proxies and relying parties write before a claim's name, and others before a person's data.
    private static let prefixes = [
        "xforwarded", "xauthrequest", "xauthenticated", "xauthentik", "xremote", "remote", "xms", "x",
        "enduser",
        "user", "home",
        "postal", "mailing", "shipping", "billing", "localized", "new", "current", "legal", "resident",
    ]

    private static let kinds: [String: Secret.Kind] = {
        var kinds: [String: Secret.Kind] = [:]
        func add(_ kind: Secret.Kind, _ text: String) {
            for word in WordTable.words(text) { kinds[word] = kind }
        }
        add(
            .personal,
            "givenname familyname middlename nickname preferredusername birthdate zoneinfo streetaddress postalcode username loginid loginname loginhint accountname upn uniquename displayname fullname firstname lastname surname realname maidenname screenname vanityname dob dateofbirth uinfin partialuinfin nric passportnumber regadd registeredaddress employeeid employeenumber employeeno windowsaccountname samaccountname onpremisessamaccountname onpremsid hanyupinyinname marriedname hanyupinyinmarriedname aliasname xsslclientsdn sslclientsdn xsslclientsdncn sslclientsdncn xclientdn xsslclientdn xclientsubject xclientcertsubject xsslclientsubject xclientcertsubjectdn sslclientsubjectdn xsslclientsubjectdn xsslclientcn xclientcertcn xclientcertdn xforwardedclientcert xforwardedtlsclientcert xforwardedtlsclientcertinfo xclientcert clientcert clientcertchain sslclientcert xsslclientcert xsslcert xarrclientcert xamznmtlsclientcert xamznmtlsclientcertleaf xamznmtlsclientcertsubject identitynumber identityname mitididentityname mailnickname nameid nameidentifier attributevalue lastauthuser userprincipalname remoteuser avatarurl headimgurl profileimageurl profilepicture"
        )
        // Korean, Chinese, Japanese, Thai, Arabic, Hebrew, Vietnamese, Malay and Indonesian, Russian, Ukrainian; whole names.
        add(
            .personal,
            "아이디 用户名 用戶名 ユーザー名 ユーザーid ชื่อผู้ใช้ اسمالمستخدم שםמשתמש tênđăngnhập tendangnhap namapengguna имяпользователя ім'якористувача"
        )
        add(
            .personal,
            "prénom nomcomplet nombrecompleto nomecognome 이름 성명 성함 прізвище vollständigername vollername"
        )
        // What sites keep of who signed in last.
        add(.personal, "remembereduser lastloginname lastuser")
        // What pages and networks call who is signed in; of Cognito's challenges; of keychains and of Mastodon.
        add(.personal, "octolyticsactorlogin tailscaleuserlogin useridforsrp acct phpauthuser")
        // OpenID Connect for Identity Assurance, the wallets of the European Union; what families have.
        add(
            .personal,
            "birthfamilyname birthgivenname birthmiddlename birthname familynamebirth givennamebirth personaladministrativenumber alsoknownas mothersmaidenname mothermaidenname"
        )
        // What universities call their people (eduPerson, SCHAC), and other providers theirs.
        add(
            .personal,
            "edupersonprincipalname edupersontargetedid edupersonuniqueid schacpersonaluniqueid schacpersonaluniquecode personaname payerid profileimage profileimg thumbnailimageurl"
        )
        // LTI, and the same of its claims.
        add(
            .personal,
            "lispersonnamefull lispersonnamegiven lispersonnamefamily lispersonsourcedid personsourcedid"
        )
        // Who did or owns something, where it is no object; what mail says before it is opened; where somebody is.
        add(
            .personal,
            "ownername holdername accountholdername payername payeename beneficiaryname debtorname creditorname sendername receivername authorname createdby updatedby modifiedby lastmodifiedby xamzmetaowner xmsmetaowner xgoogmetaowner assignedto requestedby approvedby submittedby bodypreview snippet latitude longitude"
        )
        // Numbers of a state, a bank, an employer.
        add(
            .personal,
            "custno customerno customernumber kundennummer medicalrecordnumber mrn nationalid ssn socialsecuritynumber personalnumber personnummer nationalidentitynumber taxid taxnumber cpf fiscalnumber codicefiscale idcardnumber identitycardnumber documentnumber passportno driverlicense driverlicensenumber driverslicense driverslicence drivinglicense drivinglicence licensenumber iban accountnumber cardnumber aadhaar curp dni nif bsn pesel hetu cprnumber dkcpr nationalidentificationnumber personalidentificationnumber urn:oid:1224621 urn:oid:25442 urn:oid:2544 urn:oid:2543 urn:oid:0923421920030010011 urn:oid:216840111373031241 personidentifier eidaspersonidentifier birthcertno chassisno cprnumberidentifier ivacode idcard spidcode digitaladdress personalcode gpuserid gplinkagekey"
        )
        add(
            .personal,
            "addrstreet address1 address2 housenumber housename addresslines addressline1 addressline2 line1 line2 street1 street2 postcode zipcode plz"
        )
        add(
            .personal,
            "birthday bday bdate dateofbirthday dateofbirthh dateofbirthg dateofbirthhijri birthdatehijri birthyear birthmonth yearofbirth monthofbirth dayofbirth dobday dobmonth dobyear birthdateday birthdatemonth birthdateyear placeofbirth birthplace"
        )
        add(
            .personal,
            "globalname customername cardholder cardholdername nameoncard accountholder recipientname contactname dn distinguishedname subjectdn"
        )
        // Where the address is that somebody's requests come from, as the networks between tell it.
        add(
            .personal,
            "cityname cfipcity cfpostalcode xvercelipcity xvercelippostalcode cloudfrontviewercity cloudfrontviewerpostalcode xappenginecity xappenginecitylatlong xmsclientprincipalname"
        )
        // What somebody's device is called, by which it is known again.
        add(
            .personal,
            "deviceid deviceuuid deviceuniqueid androidid advertisingid idfa idfv gaid adid ssaid imei imei1 imei2 deviceimei meid imsi iccid udid macaddress wifimac bluetoothmac hardwareid machineid deviceserial deviceserialnumber identifierforvendor installationid xinstallationid appinstanceid fcminstanceid firebaseinstanceid devicefingerprint browserfingerprint biometrickeyid visitorid anonymousid distinctid"
        )
        // The network that it is in, and what somebody drives.
        add(
            .personal,
            "ssid wifissid bssid wifibssid wifiname licenseplate licenceplate numberplate platenumber plateno vehicleplate vehicleno vehiclenumber vehicleregistration vehicleregistrationnumber autokennzeichen kfzkennzeichen"
        )
        // Banks' interfaces.
        add(
            .personal,
            "fulllegalname personalidentifier streetname townname buildingnumber tckn egn oib jmbg cnp niss nino fodselsnummer fødselsnummer nhsnumber tfn idnumber staffid studentid studentnumber matriculationnumber medicarenumber socialinsurancenumber"
        )
        // The same of France, Germany, Switzerland, Ireland, Greece, Argentina, Pakistan, the Emirates, Hong Kong.
        add(
            .personal,
            "insee numerosecuritesociale numérosécuritésociale numsecu steuerid steueridentifikationsnummer sozialversicherungsnummer ahvnummer ahvnr ppsn amka cuit cuil cnic emiratesid hkid"
        )
        // Where somebody is, in a word.
        add(.personal, "geohash pluscode what3words")
        // Whom somebody signs in for, as Corppass tells it.
        add(.personal, "uen uenno companyuen entityuen cpentid cpnonuenname cpnonuenregno cpsystemuid")
        add(.personal, "biography aboutme ksecattraccount")
        // The same in forms of other languages.
        add(
            .personal,
            "usuario nomeutente gebruikersnaam användarnamn brukernavn brugernavn vorname nachname benutzername strasse geburtsdatum prenom datedenaissance codepostal nomutilisateur apellido apellidos nombreusuario fechanacimiento cognome indirizzo voornaam achternaam geboortedatum fornamn efternamn sobrenome nomecompleto"
        )
        // Polish, Czech and Slovak, Finnish, Turkish, Hungarian; Russian, Japanese, Chinese.
        add(
            .personal,
            "imie imię nazwisko ulica kodpocztowy dataurodzenia jmeno jméno prijmeni příjmení priezvisko datumnarozeni datumnarození rodnecislo rodnéčíslo etunimi sukunimi henkilotunnus henkilötunnus soyad soyadi soyadı adsoyad dogumtarihi doğumtarihi vezeteknev vezetéknév keresztnev keresztnév фамилия отчество датарождения 氏名 お名前 姓 生年月日 姓名 真实姓名 真實姓名 出生日期 身份证号 身份证号码"
        )
        add(
            .subject,
            "sub ajsuserid steamid pairwiseid homeaccountid localaccountid octolyticsactorid authuserid patient localid unionid enduserid subjectid objectid oid useridentifier uid userhandle externalid xgoogauthenticateduserid xamznoidcidentity fhiruser"
        )
        add(
            .email,
            "email lispersoncontactemailprimary mail emailaddress emailadresse adresseemail mailaddress useremail contactemail"
        )
        add(
            .phone,
            "phonenumber contactnumber contactno handphone handphoneno hpno mobile mobileno telephone telephonenumber tel recipient телефон 電話番号 手机 手机号 手机号码 手機號碼 电话"
        )
        add(
            .address,
            "xforwardedfor xrealip forwarded cfconnectingip trueclientip xclientip clientip remoteaddr serveripaddress"
        )
        return kinds
    }()

    private static let choices = words(
        "sex gender race secondaryrace ethnicity dialect religion nationality citizenship country birthcountry countryofbirth residentialstatus marital maritalstatus countryofmarriage occupation passtype passstatus edulevel hdbtype housingtype"
    )

    private static let ofPersons = words(
        "name given family zip profile picture website locality town suburb municipality formatted user subject sn cn identifier account login userid first last address street building block floor unit postal city region имя адрес adres 名 名前 住所 地址 ชื่อ namn navn nimi employment employer line address homeaddress deliveryaddress marriagedate marriagecertno divorcedate registeredoffice companyname countyofbirth customer customerid manager tob passexpirydate passportexpirydate nom nombre nome adresse ville direccion ort passport cpr nin formattedvalue"
    )

    /// Short names that mean somebody in claims, and other things elsewhere: ID-porten's `pid` is a product's number in forms,
    /// Corppass's `CPUID` is what a processor says of itself, an entity may be a table of a database, and pages have pictures.
    static let ofClaims: Set<String> = [
        "pid", "cpuid", "entityname", "image", "photo", "photos", "bio", "blog", "province",
    ]

    /// Whether a segment of a path is a type of FHIR for somebody, as `fhirUser` has it in an address (SMART App Launch 2.2,
    /// section "Scopes for requesting identity data"): `https://…/Patient/smart-1288`.
    static func isResource(_ segment: ArraySlice<UInt8>) -> Bool {
        ["Patient", "Practitioner", "RelatedPerson", "Person"].contains { segment.elementsEqual($0.utf8) }
    }

    /// Whether what stands under a name is a document about somebody: `X-Userinfo`, a cookie called `user`, `data-user` of a page.
    static func isPerson(_ name: String) -> Bool {
        let key = SecretRoles.normalized(name)
        return ["", "x", "data"].contains {
            key.hasPrefix($0) && persons.contains(String(key.dropFirst($0.count)))
        }
    }

    private static let persons = words(
        "userinfo userdata user currentuser profile userprofile idtokenclaims person member identity principal"
    )

    private static let names = words(
        "lispersonnamefull lispersonnamegiven lispersonnamefamily ownername xamzmetaowner xmsmetaowner xgoogmetaowner holdername accountholdername payername payeename beneficiaryname debtorname creditorname sendername receivername authorname globalname customername cardholder cardholdername nameoncard accountholder recipientname contactname nameidentifier name givenname familyname middlename nickname preferredusername username loginid loginname userlogin displayname fullname firstname lastname surname realname maidenname screenname vanityname formatted sn cn given family first last aliasname marriedname hanyupinyinname hanyupinyinmarriedname samaccountname onpremisessamaccountname accountname lastauthuser user userid vorname nachname prenom nom apellido apellidos nombre cognome nome voornaam achternaam fornamn efternamn sobrenome nomecompleto imie imię nazwisko jmeno jméno prijmeni příjmení priezvisko etunimi sukunimi soyad soyadi soyadı adsoyad vezeteknev vezetéknév keresztnev keresztnév имя фамилия отчество 氏名 お名前 姓 名 名前 姓名 真实姓名 真實姓名 benutzername remoteuser identityname mitididentityname mailnickname prénom nomcomplet nombrecompleto nomecognome 이름 성명 성함 прізвище vollständigername vollername"
    )

    private static func words(_ text: String) -> Set<String> {
        Set(WordTable.words(text))
    }
}
