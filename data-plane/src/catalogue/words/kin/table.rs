//! The table of kin words.
//!
//! One line is one meaning. First what it says of the effect (`read`, `write`, or `-` for
//! nothing); then the words that tools are named and described by, which are looked for; after
//! `<` the words that only people use, which lead here and are not looked for. `_` joins the words
//! of a phrase; a phrase only leads.

/// See the module.
pub(super) const TABLE: &str = "
read get read fetch retrieve view show describe lookup < see display look_up look_at pull_up
read get read < bring_up tell_me give_me show_me let_me_see what_is how_is open details info
read list search < all every enumerate browse which who what_are overview index show_me
read get list search < what when where
read search find query list filter lookup < look_for look_up seek discover hunt find_out match
read count number total statistic < how_many tally number_of how_often
read amount quantity total balance usage quota < how_much
read check verify validate test status < examine inspect is_there is_it make_sure confirm
read status state health progress < how_is condition
read history activity log event audit revision version < past trail who_changed who_did
read event audit activity log < who_deleted who_created who_edited what_happened
read track location position < where_is where_are whereabouts trace follow locate
read compare diff < difference differ contrast delta
read download export content get media archive < save_as get_a_copy fetch pull dump
read export < as_pdf to_pdf as_csv save_as
read report statistic metric analytics summary usage insight < figure trend chart dashboard
read summary summarize overview < gist digest sum_up tldr
read extract parse recognize ocr annotate detect text < scan words_out_of read_out
read calculate estimate quote compute preview < work_out
read watch subscribe monitor notification < keep_an_eye_on follow observe listen be_told
read watch subscribe notify < tell_me_when tell_me_if let_me_know_when
read preview render thumbnail
read availability free busy available < vacant everybody_free anyone_free
read balance remain quota available usage < left left_over still_have rest space_left
read member participant collaborator user < who_are who_is who_was who_has who_takes
read permission access collaborator acl < who_may who_can is_allowed may_see
read permission access role iam policy acl < allowed may_do rights

write create insert add new < make set_up setup open file raise put submit write give
write create insert add < generate build start write_up record found log draw_up leave_a
write generate create < produce make
write update patch set edit modify replace put upsert < change alter adjust rename correct fix
write update patch set move < amend revise overwrite tweak tick_off mark_as move_to switch
write delete remove trash destroy purge prune < erase drop get_rid_of discard wipe throw_away
write delete remove trash < take_down
write delete remove trash < take_off bin clear_out scrap tidy_up take_out kick_out strip
write unpublish delete remove withdraw < take_down take_off take_offline
write clear empty purge reset wipe prune < clean unused nobody_uses
write cancel delete stop terminate abort revoke end < call_off quit halt discontinue withdraw
write stop cancel pause suspend disable < shut_down halt switch_off power_off
write unsubscribe cancel < opt_out leave
write send post create message deliver < write_to reach_out get_in_touch drop_a_line write_in
write send notify message post alert notification < inform tell announce let_know ping broadcast
write draft < do_not_send not_send write_but save_for_later unsent
write comment reply note < say_something remark answer respond respond_to
write reply respond answer comment < write_back get_back_to
write disable suspend deactivate block lock freeze toggle < turn_off switch_off shut_off ban
write disable remove < turn_off
write enable activate resume unlock unsuspend toggle start < turn_on switch_on unblock reactivate
write pause suspend hold < put_on_hold
write start run execute trigger dispatch invoke launch create < kick_off begin fire
write retry rerun re_run run < try_again once_more do_again again repeat
write restart reboot reset reload < power_cycle bounce
write deploy release publish rollout promote < ship go_live roll_out put_live push_out
write publish post release < make_public put_online
write rollback revert undo restore revision < roll_back go_back put_back back_to older
write restore recover undelete untrash revision < bring_back get_back
write archive store < put_away
write approve accept confirm authorize < sign_off okay agree green_light wave_through
write reject deny decline dismiss < refuse turn_down say_no
write review reviewer approve < look_over have_a_look
write assign update assignee owner < hand_over delegate reassign put_in_charge make_responsible
write transfer move < hand_over shift wire relocate
write move transfer update patch < shift relocate drag reschedule
write copy duplicate clone fork < my_own_copy replicate
write merge combine < join unite consolidate
write upload attach attachment import insert < load put_in bring_in add_file
write import insert load upload < bring_in ingest
write share permission grant access collaborator acl invite < give_access let_in open_up allow
write permission access grant share < let_see let_read let_edit let_open
write revoke remove delete permission access < take_away withdraw_access take_back
write invite invitation member add < onboard bring_in ask_to_join
write member membership add join < put_on add_somebody add_someone enrol
write refund return credit chargeback reimburse < money_back pay_back give_back
write pay charge payment transaction capture payout < settle debit collect take_money
write buy purchase order checkout register < acquire procure get_hold_of
write book reserve schedule reservation appointment booking < arrange plan
write schedule create insert < set_up_a arrange plan put_in
write postpone reschedule delay defer snooze move update < put_off push_back another_time
write label tag categorize classify < mark category put_a_tag
write modify update patch < mark mark_as
write close resolve complete finish update < done solve mark_as_done shut tick_off end
write acknowledge < take_over
write escalate priority < raise_urgency
write rotate renew regenerate refresh
write renew extend < prolong lengthen
write translate translation language < turn_into put_into say_in
write convert transform export < turn_into change_format
write sync synchronize refresh < bring_up_to_date
write scale resize size capacity < grow shrink bigger smaller
write reset recover password < forgotten forgot
write request create apply < ask ask_for apply_for demand
write protect protection rule restrict policy < forbid prevent guard secure
write block ban protection restrict < forbid
write star like favorite bookmark reaction < favourite favourites love
write react reaction emoji like < thumbs_up
write connect link attach associate integrate integration < hook_up tie
write disconnect unlink detach < cut_off
write sign signature < put_my_name_to
write print label
write subscribe follow watch < keep_me_posted
write rename update < give_another_name
write sort order < arrange

- login signin session authenticate < log_in sign_in
- signup register registration < sign_up enroll
- logout signout session < log_out sign_out

- customer client contact account consumer buyer < shopper purchaser guest patron
- contact person people < address_book phone_book acquaintance someone_i_know
- user member person account profile principal < somebody people someone
- employee staff user worker person member < colleague coworker teammate personnel
- collaborator user member permission < colleague coworker teammate
- team group department < squad crew
- organization org company business workspace tenant < firm enterprise
- lead prospect opportunity
- deal opportunity < sale
- owner author creator assignee maintainer
- supplier vendor seller merchant
- subscriber recipient audience member < follower reader
- visitor viewer session traffic view < audience
- participant attendee member guest < who_was who_came
- device mobile phone < handset laptop
- candidate applicant
- student learner pupil member < who_takes
- course class lesson classroom < school
- assignment coursework course_work submission < homework exercise
- grade score rating submission < mark
- doctor physician practitioner
- manager admin administrator supervisor < boss
- reviewer review < look_over

- invoice bill billing statement receipt
- money fund payment payout amount < cash
- price cost rate fee amount pricing tariff < spend charge
- discount coupon voucher promotion promo offer < rebate money_off
- subscription subscribe plan membership < recurring
- product item article sku variant listing < goods merchandise thing_we_sell
- stock inventory availability quantity level < supply on_hand
- order purchase sale
- cart basket checkout
- shipment ship parcel package delivery consignment fulfillment tracking
- label < sticker
- revenue sale earning income < turnover takings
- expense cost spending < outlay
- salary payroll payslip wage compensation < pay
- currency exchange forex rate
- tax vat
- contract agreement
- store shop outlet branch location
- warehouse depot
- overdue unpaid outstanding due < not_paid not_been_paid owed late
- loan credit mortgage
- account ledger balance
- transaction payment transfer statement

- ticket issue case request incident task < matter
- issue bug defect problem ticket < fault error broken
- task todo issue card ticket work_item reminder < to_do action_item chore
- incident outage alert alarm < downtime
- oncall on_call rotation duty shift roster schedule pager < rota
- priority severity urgency
- leave vacation holiday absence pto < time_off day_off days_off off_work away
- vacation autoreply responder < out_of_office away_message
- milestone sprint iteration < deadline
- stage step phase status
- board project

- message chat dm note text
- email mail message gmail inbox outlook smtp < e_mail letter
- thread conversation message < discussion
- attachment file < enclosure
- sms text message
- channel room conversation space < group_chat
- chat message slack space room
- campaign newsletter mailing broadcast
- call phone telephone dial < ring
- phone contact number < telephone_number
- meeting event appointment session conference calendar < stand_up standup get_together
- conference meeting meet call recording < video_call
- event calendar meeting appointment < diary agenda engagement
- calendar schedule event agenda < diary
- notification alert reminder notify
- form survey questionnaire poll
- response answer submission reply < filled_in
- review rating feedback comment
- comment reply note discussion < remark

- document doc file page paper
- document file pdf
- file object media blob attachment document < upload
- spreadsheet sheet excel table value < workbook
- presentation slide deck < powerpoint
- row record value entry line
- cell value range < field
- folder directory drive
- drive file storage < cloud_drive shared_drive
- storage quota usage about space bucket < disk_space room_left
- image picture photo screenshot media < scan
- video clip recording movie youtube < film
- playlist item track song < list_of_songs
- view watch statistic play < seen
- page site website article post < web_page
- article post blog page
- text paragraph sentence content < words
- wiki page documentation knowledge
- template form < boilerplate

- repository repo project code git < codebase code_base source_code
- pull_request pull merge pr review
- pull pulls < pull_request merge_request pr
- commit revision change changeset < last_changes history
- branch ref
- workflow pipeline build action job run ci < nightly
- release version tag < new_version
- webhook hook callback
- push commit
- server instance host machine vm node < box computer virtual_machine
- container pod docker image
- kubernetes k8s cluster
- service application app
- application app service < program
- database db datasource instance
- table dataset schema
- column field attribute property
- error exception failure crash
- log trace line output entry
- metric series cpu memory usage load < graph
- analytics report traffic view visit session < site_visits visitors visited
- alert monitor threshold
- flag feature toggle switch
- setting config configuration preference option
- secret key credential token variable
- key token credential < api_key
- password passcode credential
- role permission access privilege policy right
- certificate cert ssl tls
- domain dns record hostname zone
- network subnet vpc firewall
- firewall rule port
- disk volume drive
- backup snapshot
- schedule cron timer job
- vulnerability advisory alert security cve < weakness hole
- dependency package library
- queue topic message
- bucket storage container
- quota limit

- location place geocode coordinate map address
- route direction itinerary
- country region market
- weather forecast temperature
- flight trip journey
- hotel room booking accommodation
- language locale translation
- latest recent new last < newest
- month week day date < today yesterday

write backup export snapshot < back_up make_a_backup
write alert notify policy threshold budget < warn warn_me alarm
write schedule cron scheduler < every_day every_morning every_night every_week every_hour
write encrypt key kms cipher
write decrypt < decipher
write synthesize speech voice audio < read_aloud speak read_out_loud
write transcribe recognize speech transcription caption subtitle < write_down dictation spoken said
write moderate report flag < abusive
write rate rating vote < thumbs
write record log track
write execute query run < ask_a_question
write validate verify check < correct
write compress optimize < make_smaller
write split separate < divide
write install setup provision < put_on
write uninstall remove < take_off
write hire onboard employee create < take_on
write dismiss terminate offboard < fire let_go
write fulfill complete ship < carry_out
write claim redeem < cash_in
write adjust update modify < raise_by lower_by increase decrease
write limit quota throttle cap < restrict
write wipe erase reset action < lost stolen
write train fit < teach
write predict forecast inference < guess foresee

read read access get value < reveal
read sentiment emotion mood < friendly angry happy
read classify category topic < what_kind what_sort
read threat malware phishing unsafe < dangerous safe harmful
read speed performance latency pagespeed < fast slow
read error incident report log < went_wrong go_wrong failing
read nearby near place < close_to around_here near_me
read duplicate match < same_as twice
read profile me account < about_me who_am_i
read export report < hand_out give_me_a_file

- budget cost spend billing limit < spending
- earning revenue report payment < earn income earned made
- ad ads advertisement campaign adsense < advert advertising
- audience segment target
- keyword query search term
- seo search ranking
- secret password credential
- login user account credential
- service_account serviceaccount account
- encryption key kms
- identity user principal
- audit log activity
- shipment tracking carrier
- carrier courier shipping
- barcode sku ean isbn
- isbn book
- book title < novel
- song track music
- album collection
- recording audio transcript
- transcript caption subtitle
- subtitle caption
- step activity fitness exercise < walk
- weight measurement body
- heart pulse
- patient person subject
- prescription medication drug < medicine
- diagnosis condition
- insurance policy coverage
- claim case
- property listing house apartment < flat
- tenant lease rental
- car vehicle < automobile
- driver courier
- restaurant place food
- recipe meal dish
- ticket pass admission
- seat place
- passenger traveler traveller
- train rail
- airport flight
- donation gift contribution
- invoice receivable ledger
- supplier payable vendor
- asset inventory equipment
- device endpoint hardware < machine gadget
- sensor reading measurement telemetry
- model version deployment
- experiment test variant < a_b_test
- environment stage < staging production
- artifact package build
- image container registry
- function lambda < serverless
- gateway proxy route
- certificate credential
- license seat entitlement < licence
- user seat license
- workspace project account
- feed stream timeline
- follower friend connection
- bookmark favorite star
- hashtag tag topic
- story post
- font typeface
- color colour theme
- theme template style
- time timezone clock
- holiday calendar
- hour time timesheet < worked
- timesheet hour time entry
- goal objective target okr
- note memo annotation
- plan subscription tier
- trial subscription
- gift card voucher
- loyalty point reward
- complaint ticket feedback
- question query faq
- knowledge article faq
- spam abuse
- consent privacy
- policy rule
- rule policy condition
- variable parameter secret env
- parameter variable argument

write remove kick delete < throw_out kick_out boot_out expel eject
read history message log < was_said were_said talked_about
write set adjust < turn_down turn_up louder quieter
write pin < at_the_top on_top to_the_top
write create subtask child checklist < break_down split_up subdivide smaller
write follower watcher subscriber add < follow
write pickup schedule collection < collect come_and_collect pick_up
write close manifest closeout < end_of_day close_the_day
write create record update dns < point_at point_to
write deploy build publish restore < live_again go_live put_live back_online
write assign assignee update < give_to hand_to pass_to
write accept close < concede
write create subscription recurring plan < every_month each_month every_year monthly yearly
write suppress suppression reject blacklist unsubscribe < never_email stop_emailing
read list container process task < is_running are_running
read status build result check < pass passed succeed succeeded
read query filter search < match_a_filter that_match
- catalog product item < catalogue
- dispute chargeback claim < challenge contest
- bounce reject suppression block invalid < undelivered
- status presence profile < my_status
- task todo incomplete < left_to_do still_to_do
- column section list stage < lane
- member team membership employee < staff works_here who_works
- parcel shipment package label

write mute snooze < silence quieten hush do_not_disturb
write void cancel < annul nullify unused
write exec execute run command < inside shell
read log output < printed print printout
write pull install import < download
write skip next < jump fast_forward
read current currently playing < right_now at_the_moment
write queue enqueue < line_up
write allow whitelist unblock < let_through
write rollback restore revert < previous earlier_version
read recommendation suggestion similar related < suggest recommend
write reminder < remind remind_me
write dependency blocker block link < wait depend
read rate quote estimate < cost price_of
read stat usage metric < memory processor cpu ram
read submission response entry < filled fill_in
write accumulate adjust add < earn award
write variable env secret set < environment
- reply thread < answer
- member user people person < people
- certificate tls ssl < https
- log history audit activity < diary
- snapshot image backup
- entry record item row
";
